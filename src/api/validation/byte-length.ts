const encoder = new TextEncoder();

// biome-ignore lint/suspicious/noControlCharactersInRegex: all that takes one byte.
const oneByteEach = /^[\u0000-\u007f]*$/;

/** Kubernetes counts lengths in bytes of UTF-8. */
export function byteLength(text: string): number {
  return oneByteEach.test(text) ? text.length : encoder.encode(text).length;
}
