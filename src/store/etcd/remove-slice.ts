import type { EtcdClient } from './client/etcd-client.ts';
import { rangeMethod, txnMethod } from './client/methods.ts';
import type { EtcdRange, KeySpace } from './key-space.ts';

/** The number of rows that one request removes. Each removed row is an event that all replicas receive. */
const rowsPerRequest = 500;

/**
 * Removes a slice: first marks it as removed, so no replica can write to it, and then removes its rows. Returns the
 * etcd revision of the mark. Can be repeated after a failure. Rejects with EtcdError.
 */
export async function removeSlice(client: EtcdClient, keys: KeySpace, slice: string): Promise<number> {
  const mark = { put: { key: keys.removedSlice(slice), value: '' } };
  const removals = [keys.head(slice), keys.floor(slice)].map((key) => ({ remove: { key } }));
  const { revision } = await client.call(txnMethod, { compare: [], success: [mark, ...removals], failure: [] });
  const rows = keys.slice(slice);
  await removeRows(client, rows);
  await removeRows(client, keys.unloggedSlice(slice));
  return revision;
}

async function removeRows(client: EtcdClient, range: EtcdRange): Promise<void> {
  for (;;) {
    const { kvs } = await client.call(rangeMethod, { ...range, limit: rowsPerRequest, keysOnly: true });
    const last = kvs.at(-1);
    if (last === undefined) return;
    const remove = { key: range.key, rangeEnd: `${last.key}\u0000` };
    await client.call(txnMethod, { compare: [], success: [{ remove }], failure: [] });
  }
}
