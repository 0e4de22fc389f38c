const encoder = new TextEncoder();

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range contains all characters of one UTF-8 byte.
const oneByteEach = /^[\u0000-\u007f]*$/;

/** Returns the length of a text in UTF-8 bytes. Kubernetes' length limits count bytes. */
export function byteLength(text: string): number {
  return oneByteEach.test(text) ? text.length : encoder.encode(text).length;
}
