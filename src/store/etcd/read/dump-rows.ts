import type { Row } from '../../embedded/stage.ts';
import { compareEncodedKeys, decodeKey } from '../../key.ts';
import type { DumpRow } from '../../store.ts';
import type { EtcdClient } from '../client/etcd-client.ts';
import type { KeyValue } from '../client/messages.ts';
import { rangeMethod, txnMethod } from '../client/methods.ts';
import type { EtcdRange, KeySpace } from '../key-space.ts';
import type { RevisionMap } from '../revision-map.ts';
import { slicePosition } from '../slice-heads.ts';
import type { RowReader } from './row-reader.ts';

interface DumpOptions {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly revisions: RevisionMap;
  readonly rows: RowReader;
  readonly identity: string;
}

/** The maximum number of rows, of keys without values, and of heads in one request. */
const [rowsPerPage, keysPerPage, headsPerRequest] = [500, 5000, 100];

/**
 * Returns a snapshot of all rows. Rejects with EtcdError, for example if etcd compacts the revision of the snapshot.
 */
export async function* dumpRows({ client, keys, revisions, rows, identity }: DumpOptions): AsyncGenerator<DumpRow> {
  const { revision } = await client.call(rangeMethod, { key: keys.installation, countOnly: true });
  yield { row: 'head', identity, revision: revisions.last(revision) };
  const heads: string[] = [];
  for await (const { key } of scan(client, keys.rows, { revision, limit: keysPerPage, keysOnly: true })) {
    if (keys.parseWatched(key).kind === 'head') heads.push(key);
  }
  for (let start = 0; start < heads.length; start += headsPerRequest) {
    const part = heads.slice(start, start + headsPerRequest);
    const success = part.map((key) => ({ range: { key, revision } }));
    const { ranges } = await client.call(txnMethod, { compare: [], success, failure: [] });
    for (const head of ranges.flatMap((range) => range?.kvs ?? [])) {
      const position = slicePosition(head, revisions);
      const watched = keys.parseWatched(head.key);
      if (watched.kind === 'head' && position !== undefined)
        yield { row: 'slice', slice: watched.slice, revision: position.revision };
    }
  }
  const page = { revision, limit: rowsPerPage };
  const logged = scan(client, keys.rows, page, ({ key }) => keys.parseWatched(key).kind === 'row');
  const unlogged = scan(client, keys.unloggedRows, page);
  const decoded = merge<DecodedRow>(
    map(logged, (kv) => rows.loggedRow(kv)),
    map(unlogged, (kv) => {
      const [text, row] = rows.unloggedRow(kv);
      return [text, { ...row, unlogged: true }];
    }),
  );
  for await (const [text, row] of decoded) yield { row: 'entry', key: decodeKey(text), ...row };
}

type DecodedRow = readonly [text: string, row: Row & { readonly unlogged?: true }];

interface PageOptions {
  readonly revision: number;
  readonly limit: number;
  readonly keysOnly?: boolean;
}

async function* scan(
  client: EtcdClient,
  range: EtcdRange,
  options: PageOptions,
  isIncluded: (kv: KeyValue) => boolean = () => true,
): AsyncGenerator<KeyValue> {
  for (let key = range.key; ; ) {
    const { kvs, more } = await client.call(rangeMethod, { ...range, ...options, key });
    yield* kvs.filter(isIncluded);
    const last = kvs.at(-1);
    if (!more || last === undefined) return;
    key = `${last.key}\u0000`;
  }
}

async function* map<A, B>(items: AsyncIterable<A>, convert: (item: A) => B): AsyncGenerator<B> {
  for await (const item of items) yield convert(item);
}

/** Merges two sequences that are sorted by encoded key. */
async function* merge<T extends readonly [text: string, ...rest: unknown[]]>(
  a: AsyncGenerator<T>,
  b: AsyncGenerator<T>,
): AsyncGenerator<T> {
  let [left, right] = await Promise.all([a.next(), b.next()]);
  while (left.done !== true || right.done !== true) {
    const takeLeft =
      right.done === true || (left.done !== true && compareEncodedKeys(left.value[0], right.value[0]) < 0);
    if (takeLeft && left.done !== true) {
      yield left.value;
      left = await a.next();
    } else if (right.done !== true) {
      yield right.value;
      right = await b.next();
    }
  }
}
