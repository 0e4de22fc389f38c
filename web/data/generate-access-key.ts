import {
  accessKeyChecksum,
  accessKeyChecksumInput,
  generateAccessKeyBody,
} from '../../src/api/management/access-key-value.ts';

/** Generates a new value for an existing key in the browser, because the server generates values only for new keys. */
export async function generateAccessKey(): Promise<string> {
  const text = accessKeyChecksumInput(generateAccessKeyBody((size) => crypto.getRandomValues(new Uint8Array(size))));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return text + accessKeyChecksum(new Uint8Array(digest));
}
