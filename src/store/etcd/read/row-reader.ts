import { Rollback } from '../../embedded/rollback.ts';
import type { Row } from '../../embedded/stage.ts';
import { compareEncodedKeys, decodeKey, encodeKey, type Key, type KeyRange } from '../../key.ts';
import type { Entry, ListOptions, ListResult, Revision } from '../../store.ts';
import { assertHistoryRetained, futureRevisionError } from '../../store-error.ts';
import type { EtcdClient } from '../client/etcd-client.ts';
import { EtcdError } from '../client/etcd-error.ts';
import type { KeyValue, RangeRequest } from '../client/messages.ts';
import { rangeMethod, txnMethod } from '../client/methods.ts';
import type { KeySpace } from '../key-space.ts';
import type { RevisionMap } from '../revision-map.ts';
import { decodeRow } from '../row-value.ts';
import { type SlicePosition, slicePosition } from '../slice-heads.ts';
import type { HistoryReader } from '../watch/history-reader.ts';
import { firstPage, isEmpty, type RowPage, readRest, type TextRange, textRange } from './row-range.ts';

interface RowReaderOptions {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly revisions: RevisionMap;
  readonly history: HistoryReader;
}

/** The state of a slice that is independent of single rows. */
interface SliceState {
  /** Absent if nothing was written to the slice. */
  readonly position: SlicePosition | undefined;
  /** The revision up to which the history was compacted with `compact`. */
  readonly floor: Revision;
  /** The etcd revision at which `floor` was written. */
  readonly floorWritten: number;
  /** The current etcd revision. */
  readonly etcdRevision: number;
}

type StoredRow = readonly [text: string, row: Row];

/** The maximum number of times that a list starts again because etcd was compacted between two of its pages. */
const maxRestarts = 5;

/** Reads rows. All reads are linearizable. Methods reject with StoreError or EtcdError. */
export class RowReader {
  readonly #client: EtcdClient;
  readonly #keys: KeySpace;
  readonly #revisions: RevisionMap;
  readonly #history: HistoryReader;

  constructor({ client, keys, revisions, history }: RowReaderOptions) {
    this.#client = client;
    this.#keys = keys;
    this.#revisions = revisions;
    this.#history = history;
  }

  async get(key: Key): Promise<Entry | undefined> {
    const text = encodeKey(key);
    const { ranges } = await this.#read([{ key: this.#keys.row(text) }, { key: this.#keys.unlogged(text) }]);
    const [logged, unlogged] = ranges.map((range) => range?.kvs[0]);
    if (logged !== undefined) return { key, ...this.loggedRow(logged)[1] };
    return unlogged && { key, ...this.unloggedRow(unlogged)[1] };
  }

  async list(range: KeyRange, { limit, after, atRevision }: ListOptions): Promise<ListResult> {
    const texts = textRange(range, after);
    for (let restarts = 0; ; restarts++) {
      try {
        return atRevision === undefined
          ? await this.#listCurrent(range.slice, texts, limit)
          : await this.#listAt({ slice: range.slice, texts, limit, atRevision });
      } catch (error) {
        if (!(error instanceof EtcdError) || !error.isCompacted || restarts >= maxRestarts) throw error;
      }
    }
  }

  async sliceState(slice: string): Promise<SliceState> {
    const { ranges, revision } = await this.#read([{ key: this.#keys.head(slice) }, { key: this.#keys.floor(slice) }]);
    const [head, floor] = ranges.map((range) => range?.kvs[0]);
    const position = slicePosition(head, this.#revisions);
    return {
      position,
      floor: floor === undefined ? 0 : Number(floor.value),
      floorWritten: floor?.modRevision ?? 0,
      etcdRevision: revision,
    };
  }

  loggedRow({ key, value: stored, modRevision }: KeyValue): StoredRow {
    const { index, value } = decodeRow(stored);
    return [this.#keys.textOfRow(key), { value, revision: this.#revisions.revision(modRevision, index) }];
  }

  unloggedRow({ key, value, modRevision }: KeyValue): StoredRow {
    return [this.#keys.textOfUnlogged(key), { value, revision: this.#revisions.revision(modRevision, 0) }];
  }

  async #listCurrent(slice: string, texts: TextRange, limit: number | undefined): Promise<ListResult> {
    const rows = firstPage((text) => this.#keys.row(text), texts, limit);
    const unlogged = firstPage((text) => this.#keys.unlogged(text), texts, limit);
    const pages = isEmpty(texts) ? [] : [rows, unlogged];
    const { ranges, revision } = await this.#read([{ key: this.#keys.head(slice) }, ...pages]);
    const [head, firstRows, firstUnlogged] = ranges;
    const options = { limit, revision };
    const logged = firstRows && (await readRest(this.#client, rows, firstRows, options));
    const others = firstUnlogged && (await readRest(this.#client, unlogged, firstUnlogged, options));
    return toListResult(
      mergeRows(logged, others, this),
      limit,
      slicePosition(head?.kvs[0], this.#revisions)?.revision ?? 1,
    );
  }

  async #listAt(list: EarlierList): Promise<ListResult> {
    const { slice, texts, limit, atRevision } = list;
    const state = await this.sliceState(slice);
    const etcdRevision = Math.max(1, this.#revisions.etcdRevision(atRevision));
    if (etcdRevision > state.etcdRevision) {
      throw futureRevisionError(atRevision, this.#revisions.last(state.etcdRevision));
    }
    assertHistoryRetained(slice, atRevision, state.floor);
    if (isEmpty(texts)) return { entries: [], revision: atRevision, remaining: 0 };
    const unlogged = await this.#readAll(
      firstPage((text) => this.#keys.unlogged(text), texts, limit),
      limit,
    );
    // If the slice has not changed after `atRevision`, its current state is read, because etcd may have compacted the
    // earlier state.
    const { position } = state;
    const isCurrent = position === undefined || position.revision <= atRevision;
    const revision = isCurrent ? state.etcdRevision : etcdRevision;
    if (!isCurrent && etcdRevision < position.firstEtcdRevision) {
      return toListResult(mergeRows(undefined, unlogged, this), limit, atRevision);
    }
    const rollback = isCurrent ? undefined : await this.#orExpired(list, () => this.#rollback(list));
    const rowLimit = rollback === undefined ? limit : undefined;
    const request = { ...firstPage((text) => this.#keys.row(text), texts, rowLimit), revision };
    const reading = () => this.#readAll(request, rowLimit);
    const rows = isCurrent ? await reading() : await this.#orExpired(list, reading);
    if (rollback === undefined) return toListResult(mergeRows(rows, unlogged, this), limit, atRevision);
    const present = rows.kvs.map((kv) => this.loggedRow(kv));
    const before = [...rollback.merge(present), ...rollback.rest()];
    const merged = mergeSorted(
      before,
      unlogged.kvs.map((kv) => this.unloggedRow(kv)),
    );
    return toListResult({ rows: merged, count: before.length + unlogged.count }, limit, atRevision);
  }

  /**
   * Returns the changes that must be undone if the revision is in the middle of a transaction: the changes of this
   * transaction with a greater revision. Returns `undefined` if there are none.
   */
  async #rollback({ slice, atRevision, texts }: EarlierList): Promise<Rollback<Row> | undefined> {
    const etcdRevision = this.#revisions.etcdRevision(atRevision);
    if (etcdRevision < 1) return undefined;
    const head = await this.#client.call(rangeMethod, { key: this.#keys.head(slice), revision: etcdRevision });
    const position = slicePosition(head.kvs[0], this.#revisions);
    if (position?.etcdRevision !== etcdRevision || position.revision <= atRevision) return undefined;
    const rollback = new Rollback<Row>();
    const request = { slice, since: atRevision, first: position.firstEtcdRevision, to: etcdRevision };
    const { logged } = await this.#history.read(request);
    for (const { text, change } of logged) {
      const isInRange = compareEncodedKeys(text, texts.from) >= 0 && compareEncodedKeys(text, texts.to) < 0;
      if (isInRange) rollback.undo(text, () => change.previous);
    }
    return rollback;
  }

  /** Reads an earlier state. Rejects with StoreError Expired if etcd has compacted it. */
  async #orExpired<T>({ slice, atRevision }: EarlierList, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof EtcdError && error.isCompacted) {
        assertHistoryRetained(slice, atRevision, this.#revisions.last(await this.#history.oldest()));
      }
      throw error;
    }
  }

  async #readAll(request: RangeRequest, limit: number | undefined): Promise<RowPage> {
    const first = await this.#client.call(rangeMethod, request);
    return readRest(this.#client, request, first, { limit, revision: request.revision ?? first.revision });
  }

  #read(requests: readonly RangeRequest[]) {
    const success = requests.map((range) => ({ range }));
    return this.#client.call(txnMethod, { compare: [], success, failure: [] });
  }
}

/** A list at an earlier revision. */
interface EarlierList {
  readonly slice: string;
  readonly texts: TextRange;
  readonly limit: number | undefined;
  readonly atRevision: Revision;
}

interface MergedRows {
  readonly rows: readonly StoredRow[];
  /** The number of rows of the whole range. */
  readonly count: number;
}

function mergeRows(logged: RowPage | undefined, unlogged: RowPage | undefined, reader: RowReader): MergedRows {
  const rows = mergeSorted(
    (logged?.kvs ?? []).map((kv) => reader.loggedRow(kv)),
    (unlogged?.kvs ?? []).map((kv) => reader.unloggedRow(kv)),
  );
  return { rows, count: (logged?.count ?? 0) + (unlogged?.count ?? 0) };
}

function mergeSorted(a: readonly StoredRow[], b: readonly StoredRow[]): readonly StoredRow[] {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  return [...a, ...b].sort(([left], [right]) => compareEncodedKeys(left, right));
}

function toListResult({ rows, count }: MergedRows, limit: number | undefined, revision: Revision): ListResult {
  const given = limit === undefined ? rows : rows.slice(0, limit);
  const entries = given.map(([text, row]) => ({ key: decodeKey(text), ...row }));
  return { entries, revision, remaining: count - entries.length };
}
