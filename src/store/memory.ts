import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { catchUp } from './catch-up.ts';
import { ChangeAge } from './change-age.ts';
import { Compactor } from './embedded/compactor.ts';
import { Rollback } from './embedded/rollback.ts';
import {
  CommitStage,
  type LoggedChange,
  newSliceHead,
  prepareTransaction,
  type Row,
  type SliceHead,
} from './embedded/stage.ts';
import { HistoryCollector } from './history-collector.ts';
import { ObserverHub } from './hub.ts';
import { compareEncodedKeys, decodeKey, encodeKey, encodeRange, isKeyInRange, type Key, type KeyRange } from './key.ts';
import {
  type Change,
  type DumpRow,
  defaultHistoryRetention,
  type Entry,
  type HistoryChunk,
  type HistoryOptions,
  type HistoryRetention,
  type ListOptions,
  type ListResult,
  noStoreLimits,
  type Observer,
  type Revision,
  type Store,
  type Transaction,
} from './store.ts';
import { assertHistoryRetained, futureRevisionError, sliceRemovedError, storeClosedError } from './store-error.ts';

export interface MemoryStoreOptions {
  readonly clock?: Clock;
  readonly retention?: HistoryRetention;
  readonly identity?: string;
}

/** Opens a store in memory, for tests. Its contents are lost when the process ends. */
export function openMemoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options);
}

interface Slice {
  head: SliceHead;
  readonly rows: Map<string, Row>;
  history: (LoggedChange & { readonly time: number })[];
}

class MemoryStore implements Store {
  readonly identity: string;
  readonly isShared = false;
  readonly limits = noStoreLimits;
  readonly #age: ChangeAge;
  readonly #retention: HistoryRetention;
  readonly #slices = new Map<string, Slice>();
  readonly #hub = new ObserverHub();
  readonly #compactor: Compactor;
  #revision: Revision = 1;
  #closed = false;

  constructor({ clock = systemClock, retention, identity }: MemoryStoreOptions) {
    this.identity = identity ?? randomUUID();
    this.#age = new ChangeAge(clock);
    this.#retention = retention ?? defaultHistoryRetention;
    this.#compactor = new Compactor({
      clock,
      log: silentLog,
      candidates: () => [...this.#slices.keys()],
      step: async (slice) => this.#compactByRetention(slice),
    });
  }

  async get(key: Key): Promise<Entry | undefined> {
    this.#assertOpen();
    const text = encodeKey(key);
    const row = this.#slices.get(key.slice)?.rows.get(text);
    return row && { key, ...row };
  }

  async list(range: KeyRange, { limit, after, atRevision }: ListOptions = {}): Promise<ListResult> {
    this.#assertOpen();
    const head = this.#head(range.slice);
    const bounds = encodeRange(range);
    const afterText = after && encodeKey(after);
    const within = (text: string) =>
      text.startsWith(bounds.from) && (afterText === undefined || compareEncodedKeys(text, afterText) > 0);

    const rollback = new Rollback<Row>();
    if (atRevision !== undefined) {
      if (atRevision > this.#revision) throw futureRevisionError(atRevision, this.#revision);
      assertHistoryRetained(range.slice, atRevision, head.floor);
      for (const { text, change } of this.#slices.get(range.slice)?.history ?? []) {
        if (change.revision > atRevision && within(text)) rollback.undo(text, () => change.previous);
      }
    }
    const present = [...(this.#slices.get(range.slice)?.rows ?? [])]
      .filter(([text]) => within(text))
      .sort(([a], [b]) => compareEncodedKeys(a, b));
    const rows = [...rollback.merge(present), ...rollback.rest()];
    const given = rows.slice(0, limit);
    return {
      entries: given.map(([text, { value, revision }]) => ({ key: decodeKey(text), value, revision })),
      revision: atRevision ?? head.revision,
      remaining: rows.length - given.length,
    };
  }

  async transact(transaction: Transaction): Promise<readonly (Revision | undefined)[]> {
    this.#assertOpen();
    const stage = new CommitStage({
      revision: this.#revision,
      row: (text) => this.#slices.get(decodeKey(text).slice)?.rows.get(text),
      head: (slice) => this.#slices.get(slice)?.head,
    });
    const revisions = stage.transact(prepareTransaction(transaction));
    this.#adopt(stage);
    this.#hub.publish(stage.logged);
    return revisions;
  }

  async removePrefix(range: KeyRange): Promise<void> {
    this.#assertOpen();
    if (range.prefix.length > 0) {
      const { entries } = await this.list(range);
      await this.transact({ writes: entries.map(({ key }) => ({ key, value: undefined })) });
      return;
    }
    this.#slices.delete(range.slice);
    this.#hub.endSlice(range.slice, sliceRemovedError());
  }

  async revision(slice: string): Promise<Revision> {
    this.#assertOpen();
    return this.#head(slice).revision;
  }

  async observe(range: KeyRange, since: Revision, observer: Observer): Promise<() => void> {
    this.#assertOpen();
    const history = (after: Revision) => this.#historyPiece(range, after);
    const isCurrent = () => this.#head(range.slice).revision === since;
    return catchUp({ hub: this.#hub, range, since, observer, log: silentLog, history, isCurrent });
  }

  async history(range: KeyRange, since: Revision, options?: HistoryOptions): Promise<HistoryChunk> {
    this.#assertOpen();
    const collector = new HistoryCollector(since, options);
    for await (const chunk of this.#historyPiece(range, since)) collector.add(chunk);
    return collector.result;
  }

  async compact(slice: string, upTo: Revision): Promise<void> {
    this.#assertOpen();
    this.#forget(slice, upTo);
  }

  async assertWritable(): Promise<void> {
    this.#assertOpen();
  }

  async *dump(): AsyncGenerator<DumpRow> {
    this.#assertOpen();
    const rows = [...this.#slices.values()].flatMap((slice) => [...slice.rows]);
    const heads = [...this.#slices]
      .map(([slice, { head }]) => ({ slice, revision: head.revision }))
      .sort((a, b) => compareEncodedKeys(a.slice, b.slice));
    yield { row: 'head', identity: this.identity, revision: this.#revision };
    for (const { slice, revision } of heads) yield { row: 'slice', slice, revision };
    for (const [text, { value, revision }] of rows.sort(([a], [b]) => compareEncodedKeys(a, b))) {
      yield { row: 'entry', key: decodeKey(text), value, revision };
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#compactor.stop();
    this.#hub.endAll(storeClosedError());
  }

  #assertOpen(): void {
    if (this.#closed) throw storeClosedError();
  }

  #head(slice: string): SliceHead {
    return this.#slices.get(slice)?.head ?? newSliceHead;
  }

  #adopt(stage: CommitStage): void {
    const time = this.#age.stamp();
    for (const [text, row] of stage.rows) {
      const { rows } = this.#slice(decodeKey(text).slice);
      if (row === undefined) rows.delete(text);
      else rows.set(text, row);
    }
    for (const [slice, head] of stage.heads) if (head !== undefined) this.#slice(slice).head = head;
    for (const logged of stage.logged) this.#slice(logged.change.key.slice).history.push({ ...logged, time });
    this.#revision = stage.revision;
  }

  #slice(name: string): Slice {
    const existing = this.#slices.get(name);
    if (existing !== undefined) return existing;
    const fresh = { head: newSliceHead, rows: new Map(), history: [] };
    this.#slices.set(name, fresh);
    return fresh;
  }

  #changes(range: KeyRange, since: Revision): Change[] {
    assertHistoryRetained(range.slice, since, this.#head(range.slice).floor);
    const history = this.#slices.get(range.slice)?.history ?? [];
    return history
      .map(({ change }) => change)
      .filter(({ revision, key }) => revision > since && isKeyInRange(range, key));
  }

  async *#historyPiece(range: KeyRange, since: Revision): AsyncGenerator<HistoryChunk> {
    yield { changes: this.#changes(range, since), upTo: this.#head(range.slice).revision };
  }

  #forget(name: string, upTo: Revision): void {
    const slice = this.#slices.get(name);
    if (slice === undefined) return;
    slice.history = slice.history.filter(({ change }) => change.revision > upTo);
    const floor = Math.max(slice.head.floor, Math.min(upTo, slice.head.revision));
    slice.head = { ...slice.head, floor, changes: slice.history.length };
  }

  #compactByRetention(name: string): boolean {
    const { ageMilliseconds, changes } = this.#retention;
    const history = this.#slices.get(name)?.history ?? [];
    const old = history
      .slice(0, Math.max(0, history.length - changes))
      .filter(({ time }) => this.#age.isOlder(time, ageMilliseconds));
    const last = old.at(-1);
    if (last !== undefined) this.#forget(name, last.change.revision);
    return false;
  }
}
