/*
 * The form of an encrypted value. The store does not decrypt values, but a store may keep encrypted ones in fewer bytes
 * than their text has. An encrypted value is the marker, a header of ASCII characters, and bytes in base64.
 */

/**
 * The first character of every encrypted value. No other value that a server writes starts with this character. It is
 * an ASCII character, because V8 takes ten times as long to convert a text with other characters to UTF-8.
 */
export const sealedMarker = '\u007f';

/** The number of characters between the marker and the base64. */
export const sealedHeaderLength = 28;
