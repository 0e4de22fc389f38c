import { encodeKey, encodeRange, encodeSlice, type Key, type KeyRange } from '../../key.ts';
import type { EtcdClient } from '../client/etcd-client.ts';
import type { KeyValue, RangeRequest, RangeResponse } from '../client/messages.ts';
import { rangeMethod } from '../client/methods.ts';

/** The maximum number of rows in one response of etcd. */
const pageSize = 1000;

/** A half-open interval of encoded keys. */
export interface TextRange {
  readonly from: string;
  readonly to: string;
}

/** Returns the encoded keys of a range after a key, without the head of the slice. */
export function textRange(range: KeyRange, after: Key | undefined): TextRange {
  const { from, to } = encodeRange(range);
  // The first text that sorts after a text is this text followed by NUL.
  const first = range.prefix.length === 0 ? `${encodeSlice(range.slice)}\u0000` : from;
  const next = after === undefined ? first : `${encodeKey(after)}\u0000`;
  return { from: Buffer.compare(Buffer.from(next), Buffer.from(first)) > 0 ? next : first, to };
}

export function isEmpty({ from, to }: TextRange): boolean {
  return Buffer.compare(Buffer.from(from), Buffer.from(to)) >= 0;
}

/** Rows from etcd, and the number of further rows of the range beyond the limit. */
export interface RowPage {
  readonly kvs: readonly KeyValue[];
  readonly count: number;
}

/** Returns a request for the first page of rows. */
export function firstPage(
  place: (text: string) => string,
  { from, to }: TextRange,
  limit: number | undefined,
): RangeRequest {
  const bounds = { key: place(from), rangeEnd: place(to) };
  return limit === 0 ? { ...bounds, countOnly: true } : { ...bounds, limit: Math.min(limit ?? pageSize, pageSize) };
}

/** Reads the rows after the first page at the same etcd revision, up to the limit. Rejects with EtcdError. */
export async function readRest(
  client: EtcdClient,
  request: RangeRequest,
  first: RangeResponse,
  { limit, revision }: { readonly limit: number | undefined; readonly revision: number },
): Promise<RowPage> {
  const kvs = [...first.kvs];
  for (let page = first; page.more && (limit === undefined || kvs.length < limit); ) {
    const last = kvs.at(-1);
    if (last === undefined) break;
    const rest = limit === undefined ? pageSize : Math.min(limit - kvs.length, pageSize);
    page = await client.call(rangeMethod, { ...request, key: `${last.key}\u0000`, limit: rest, revision });
    kvs.push(...page.kvs);
  }
  return { kvs, count: first.count };
}
