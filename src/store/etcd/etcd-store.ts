import type { Clock } from '../../lib/clock.ts';
import { systemClock } from '../../lib/clock.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import { catchUp } from '../catch-up.ts';
import { type PreparedTransaction, prepareTransaction, type RowRead } from '../embedded/stage.ts';
import { HistoryCollector } from '../history-collector.ts';
import { ObserverHub } from '../hub.ts';
import { isKeyInRange, type Key, type KeyRange } from '../key.ts';
import {
  type DumpRow,
  defaultHistoryRetention,
  type Entry,
  type HistoryChunk,
  type HistoryOptions,
  type HistoryRetention,
  type ListOptions,
  type ListResult,
  maxTransactionWrites,
  type Observer,
  type Revision,
  type Store,
  type StoreLimits,
  type Transaction,
} from '../store.ts';
import { assertHistoryRetained, StoreError, storeClosedError } from '../store-error.ts';
import { type EtcdCredentials, parseEndpoints } from './client/endpoints.ts';
import { EtcdClient, type EtcdTimeouts } from './client/etcd-client.ts';
import { EtcdError, toStoreError } from './client/etcd-error.ts';
import { txnMethod } from './client/methods.ts';
import { Committer, unknownOutcomeError } from './commit/committer.ts';
import { GroupCommitter } from './commit/group-committer.ts';
import { KeyOrder } from './commit/key-order.ts';
import { type PlanOutcome, planTransaction, type TransactionPlan } from './commit/plan-transaction.ts';
import { HistoryCompaction } from './compaction.ts';
import { type InstallationOptions, openInstallation } from './installation.ts';
import { KeySpace } from './key-space.ts';
import { dumpRows } from './read/dump-rows.ts';
import { RowReader } from './read/row-reader.ts';
import { removeSlice } from './remove-slice.ts';
import { RevisionMap } from './revision-map.ts';
import { SliceHeads } from './slice-heads.ts';
import type { Commit } from './watch/commit-assembler.ts';
import { HistoryReader } from './watch/history-reader.ts';
import { LiveChanges } from './watch/live-changes.ts';
import { RecentRevisions } from './watch/recent-revisions.ts';

export interface EtcdStoreOptions extends InstallationOptions {
  /** The addresses of the members of the etcd cluster, separated by commas. */
  readonly endpoints: string;
  /** The prefix of all keys of the store. */
  readonly prefix: string;
  readonly credentials?: EtcdCredentials;
  /** The largest request that etcd accepts: its flag --max-request-bytes. */
  readonly maxRequestBytes?: number;
  readonly timeouts?: EtcdTimeouts;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly retention?: HistoryRetention;
}

/** The timeouts leave time to respond within the deadline of a request, and to ask two more members. */
const defaultTimeouts: EtcdTimeouts = { call: 10_000, member: 3_000 };

/**
 * Opening a store fails earlier than other calls, because a person waits for the message. Each member has two seconds.
 */
function openingTimeouts(members: number): EtcdTimeouts {
  return { call: Math.max(5_000, 2_000 * members), member: 2_000 };
}

/** Opens a store on an etcd cluster, or creates it. Rejects with StoreError CannotOpen. */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const keys = new KeySpace(options.prefix);
  const endpoints = parseEndpoints(options.endpoints);
  const timeouts = options.timeouts ?? defaultTimeouts;
  const access = { endpoints, credentials: options.credentials ?? {} };
  const opening = new EtcdClient({ ...access, timeouts: options.timeouts ?? openingTimeouts(endpoints.length) });
  try {
    const { installation, etcdRevision } = await openInstallation(opening, keys, options);
    const { identity, base } = installation;
    const client = new EtcdClient({ ...access, timeouts });
    return new EtcdStore({ options, client, keys, identity, base, etcdRevision, timeouts });
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    const message = `cannot open the store at ${options.endpoints}: ${error.explanation}`;
    throw new StoreError('CannotOpen', message, undefined, { cause: error });
  } finally {
    opening.close();
  }
}

interface OpenedInstallation {
  readonly options: EtcdStoreOptions;
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly identity: string;
  readonly base: number;
  readonly etcdRevision: number;
  readonly timeouts: EtcdTimeouts;
}

/** The default of etcd. */
const defaultMaxRequestBytes = 1.5 * 1024 * 1024;

/**
 * The part of a request that is reserved for keys, the head of the slice, and other rows of the transaction. With the
 * default of etcd, a ConfigMap with 1 MiB of data can be stored, which is the maximum in Kubernetes.
 */
const reservedBytes = 256 * 1024;

/** The maximum number of times that a transaction is planned again because the rows that it removes have changed. */
const maxPlans = 50;

/** A transaction that was applied. The numbers of its writes start after `offset`. */
interface CommittedPlan {
  readonly plan: TransactionPlan;
  readonly etcdRevision: number;
  readonly offset: number;
}

class EtcdStore implements Store {
  readonly identity: string;
  readonly isShared = true;
  readonly limits: StoreLimits;
  readonly #log: Log;
  readonly #client: EtcdClient;
  readonly #keys: KeySpace;
  readonly #revisions: RevisionMap;
  readonly #hub = new ObserverHub();
  readonly #order = new KeyOrder();
  readonly #live: LiveChanges;
  readonly #recent: RecentRevisions;
  readonly #committer: Committer;
  readonly #groups: GroupCommitter;
  readonly #compaction: HistoryCompaction;
  readonly #heads: SliceHeads;
  readonly #history: HistoryReader;
  readonly #rows: RowReader;
  readonly #transactions = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor({ options, client, keys, identity, base, etcdRevision, timeouts }: OpenedInstallation) {
    const { clock = systemClock, log = silentLog, retention = defaultHistoryRetention } = options;
    const revisions = new RevisionMap(base);
    this.identity = identity;
    this.limits = { valueBytes: (options.maxRequestBytes ?? defaultMaxRequestBytes) - reservedBytes };
    this.#log = log;
    this.#client = client;
    this.#keys = keys;
    this.#revisions = revisions;
    this.#recent = new RecentRevisions(revisions.last(etcdRevision));
    this.#heads = new SliceHeads(client, keys, revisions);
    this.#history = new HistoryReader(client, keys, revisions);
    this.#rows = new RowReader({ client, keys, revisions, history: this.#history });
    const onCommit = (commit: Commit) => this.#noteCommit(commit);
    const onMissed = (upTo: number) => this.#recent.restart(revisions.last(upTo));
    const stall = { stallMilliseconds: timeouts.member };
    const parts = { client, keys, revisions, hub: this.#hub, log };
    this.#live = new LiveChanges({ ...parts, onCommit, onMissed, ...stall });
    this.#committer = new Committer(client, keys, this.#live);
    this.#groups = new GroupCommitter(this.#committer, keys, revisions);
    this.#compaction = new HistoryCompaction({ client, keys, clock, log, retention });
    this.#live.start(etcdRevision);
  }

  get(key: Key): Promise<Entry | undefined> {
    return this.#run(() => this.#rows.get(key));
  }

  list(range: KeyRange, options: ListOptions = {}): Promise<ListResult> {
    return this.#run(() => this.#rows.list(range, options));
  }

  transact(transaction: Transaction): Promise<readonly (Revision | undefined)[]> {
    const result = this.#run(() => this.#transact(prepareTransaction(transaction)));
    this.#transactions.add(result);
    const forget = () => this.#transactions.delete(result);
    result.then(forget, forget);
    return result;
  }

  removePrefix(range: KeyRange): Promise<void> {
    return this.#run(async () => {
      if (range.prefix.length > 0) return this.#removeRows(range);
      const etcdRevision = await removeSlice(this.#client, this.#keys, range.slice);
      await this.#live.reached(etcdRevision, this.#client.newDeadline());
    });
  }

  revision(slice: string): Promise<Revision> {
    return this.#run(async () => {
      const position = await this.#heads.ask(slice);
      if (position === undefined) return 1;
      await this.#live.reached(position.etcdRevision, this.#client.newDeadline());
      return position.revision;
    });
  }

  observe(range: KeyRange, since: Revision, observer: Observer): Promise<() => void> {
    const readHistory = (after: Revision) => this.#historyChunk(range, after);
    async function* history(after: Revision) {
      yield await readHistory(after);
    }
    const isCurrent = () => this.#recent.isUnchangedSince(range.slice, since);
    return this.#run(() => catchUp({ hub: this.#hub, range, since, observer, log: this.#log, history, isCurrent }));
  }

  history(range: KeyRange, since: Revision, options: HistoryOptions = {}): Promise<HistoryChunk> {
    return this.#run(async () => {
      const collector = new HistoryCollector(since, options);
      for (let at = since; ; ) {
        const chunk = await this.#historyChunk(range, at, options.characters);
        if (!collector.add(chunk) || chunk.upTo <= at) return collector.result;
        at = chunk.upTo;
      }
    });
  }

  compact(slice: string, upTo: Revision): Promise<void> {
    return this.#run(async () => {
      const key = this.#keys.floor(slice);
      for (let isDone = false; !isDone; ) {
        const { position, floor, floorWritten } = await this.#rows.sliceState(slice);
        const next = Math.min(upTo, position?.revision ?? 0);
        if (next <= floor) return;
        const compare = [{ key, modRevision: floorWritten }];
        const success = [{ put: { key, value: `${next}` } }];
        isDone = (await this.#client.call(txnMethod, { compare, success, failure: [] })).succeeded;
      }
    });
  }

  assertWritable(): Promise<void> {
    return this.#run(async () => {
      const put = { key: this.#keys.probe, value: '' };
      await this.#client.call(txnMethod, { compare: [], success: [{ put }], failure: [] });
    });
  }

  async *dump(): AsyncGenerator<DumpRow> {
    this.#assertOpen();
    const { identity } = this;
    const parts = { client: this.#client, keys: this.#keys, revisions: this.#revisions, rows: this.#rows, identity };
    try {
      yield* dumpRows(parts);
    } catch (error) {
      throw this.#convertError(error);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#transactions);
    await this.#compaction.stop();
    this.#live.close();
    this.#hub.endAll(storeClosedError());
    this.#client.close();
  }

  #noteCommit(commit: Commit): void {
    this.#committer.noteCommit(commit);
    this.#compaction.noteCommit(commit);
    this.#recent.noteCommit(commit);
  }

  async #transact(transaction: PreparedTransaction): Promise<readonly (Revision | undefined)[]> {
    if (transaction.checks.length === 0 && transaction.writes.length === 0) return [];
    const deadline = this.#client.newDeadline();
    const textsOf = (reads: readonly RowRead[]) => reads.map(({ text }) => text);
    const used = { read: textsOf(transaction.checks), written: textsOf(transaction.writes) };
    const { plan, etcdRevision, offset } = await this.#order.run(used, () => this.#commit(transaction, deadline));
    if (plan.hasLoggedWrites) {
      try {
        await this.#live.reached(etcdRevision, deadline);
      } catch (error) {
        throw error instanceof EtcdError ? unknownOutcomeError(error) : error;
      }
    }
    return plan.indexes.map((index) => index && this.#revisions.revision(etcdRevision, offset + index));
  }

  async #commit(transaction: PreparedTransaction, deadline: number): Promise<CommittedPlan> {
    let absent: ReadonlySet<string> = new Set();
    for (let plans = 0; plans < maxPlans; plans++) {
      const plan = planTransaction(transaction, { keys: this.#keys, revisions: this.#revisions, absent });
      const outcome = await (plan.hasWrites ? this.#groups.commit(plan, deadline) : this.#check(plan, deadline));
      if (!('refusal' in outcome)) return { plan, ...outcome };
      if ('error' in outcome.refusal) throw outcome.refusal.error;
      absent = outcome.refusal.absent;
    }
    throw new StoreError('Unavailable', 'the rows to remove are created and removed by others all the time');
  }

  /** Executes a transaction without writes. */
  async #check(plan: TransactionPlan, deadline: number): Promise<PlanOutcome> {
    const response = await this.#client.call(txnMethod, plan.request(''), deadline);
    return response.succeeded ? { etcdRevision: response.revision, offset: 0 } : { refusal: plan.explain(response) };
  }

  async #removeRows(range: KeyRange): Promise<void> {
    for (;;) {
      const { entries } = await this.#rows.list(range, { limit: maxTransactionWrites, skipCount: true });
      if (entries.length === 0) return;
      const writes = entries.map(({ key, revision }) => {
        const unlogged = this.#revisions.index(revision) === 0;
        return { key, value: undefined, unlogged };
      });
      await this.#transact(prepareTransaction({ writes }));
    }
  }

  /**
   * Reads the history of the slice until its size is about `characters`, or to the end of the history if there is no
   * limit.
   */
  async #historyChunk(range: KeyRange, since: Revision, characters?: number): Promise<HistoryChunk> {
    const { position, floor } = await this.#rows.sliceState(range.slice);
    assertHistoryRetained(range.slice, since, floor);
    if (position === undefined || position.revision <= since) return { changes: [], upTo: since };
    const { firstEtcdRevision: first, etcdRevision: to } = position;
    const { logged, upTo } = await this.#history.read({ slice: range.slice, since, first, to, characters });
    const changes = logged.map(({ change }) => change).filter(({ key }) => isKeyInRange(range, key));
    return { changes, upTo: Math.min(upTo, position.revision) };
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw storeClosedError();
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    this.#assertOpen();
    try {
      return await work();
    } catch (error) {
      throw this.#convertError(error);
    }
  }

  #convertError(error: unknown): unknown {
    return error instanceof EtcdError && this.#closing !== undefined ? storeClosedError() : toStoreError(error);
  }
}
