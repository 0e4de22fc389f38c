/*
 * The form of an encrypted value. The store does not decrypt values, but a store may keep encrypted ones in fewer bytes
 * than their text has. An encrypted value is the marker, a header of ASCII characters, and bytes in base64.
 */

/**
 * The first character of every encrypted value. No other value that a server writes starts with it. It is an ASCII
 * character: V8 converts a text with any other character to UTF-8 ten times more slowly.
 */
export const sealedMarker = '\u007f';

/** The number of characters between the marker and the base64. */
export const sealedHeaderLength = 28;
