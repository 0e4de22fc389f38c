import { accessKeyBody, accessKeyChecksum, checksummedText } from '../../src/api/management/access-key-value.ts';

/** A value for a key that is given another one: made here, as the server shows none but that of a new key. */
export async function newKeyValue(): Promise<string> {
  const text = checksummedText(accessKeyBody((size) => crypto.getRandomValues(new Uint8Array(size))));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return text + accessKeyChecksum(new Uint8Array(digest));
}
