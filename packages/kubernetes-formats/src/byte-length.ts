const encoder = new TextEncoder();

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches all characters that take one byte.
const oneByteEach = /^[\u0000-\u007f]*$/;

/** Length in bytes of UTF-8, the unit of Kubernetes' length limits. */
export function byteLength(text: string): number {
  return oneByteEach.test(text) ? text.length : encoder.encode(text).length;
}
