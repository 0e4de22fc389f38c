/** The number of bytes that are converted at a time, because a function call accepts a limited number of arguments. */
const chunkLength = 8192;

/** Encodes the UTF-8 bytes of a text. */
export function encodeBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at += chunkLength) {
    chunks.push(String.fromCharCode(...bytes.subarray(at, at + chunkLength)));
  }
  return btoa(chunks.join(''));
}

/** Decodes base64 to UTF-8 text. Throws Error if the value is not base64. */
export function decodeBase64(value: string): string {
  const binary = binaryOf(value);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return new TextDecoder().decode(bytes);
}

function binaryOf(value: string): string {
  try {
    return atob(value);
  } catch {
    throw new Error('the value is not valid base64');
  }
}
