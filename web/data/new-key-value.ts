import { accessKeyBody, accessKeyChecksum, checksummedText } from '../../src/api/management/access-key-value.ts';

/** Generates a new value for an existing key. The server returns a value only when it creates a key. */
export async function newKeyValue(): Promise<string> {
  const text = checksummedText(accessKeyBody((size) => crypto.getRandomValues(new Uint8Array(size))));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return text + accessKeyChecksum(new Uint8Array(digest));
}
