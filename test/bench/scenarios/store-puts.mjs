import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { measure } from '../measure.mjs';

/** About what a small object takes with its field ownership. */
const value = JSON.stringify({ object: 'x'.repeat(1200) });

/** Durable writes to the embedded store: each waits for its flush; those that wait together share one. */
export async function storePuts({ directory, parts, signal }) {
  const place = await mkdtemp(join(directory, 'store-'));
  const store = await parts.openEmbeddedStore({ directory: place });
  const put = (number, worker) =>
    store.transact({ writes: [{ key: { slice: 'bench', segments: [`${worker}`, `${number % 1000}`] }, value }] });
  try {
    return [
      await measure('store put, 1 writer', { workers: 1, seconds: 2, signal }, put),
      await measure('store put, 64 writers', { workers: 64, seconds: 2, signal }, put),
    ];
  } finally {
    await store.close();
    await rm(place, { recursive: true, force: true });
  }
}
