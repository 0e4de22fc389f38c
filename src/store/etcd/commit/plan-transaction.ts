import type { PreparedTransaction } from '../../embedded/stage.ts';
import { StoreError, sliceRemovedError } from '../../store-error.ts';
import type { Compare, KeyValue, Operation, RangeRequest, TxnRequest, TxnResponse } from '../client/messages.ts';
import type { KeySpace } from '../key-space.ts';
import { maxLoggedWrites, type RevisionMap } from '../revision-map.ts';
import { decodeRow, encodeHead, encodeRow } from '../row-value.ts';

/** The number of operations and of conditions that etcd accepts in a transaction by default. */
const maxOperations = 128;

/** The maximum number of operations, and of conditions, of a transaction that shares a request with others. */
const maxPartOperations = 32;

/**
 * The maximum number of characters of the keys and values of a transaction that shares a request. Larger transactions
 * are sent alone, so small writes need not wait for large ones.
 */
const maxPartCharacters = 16 * 1024;

/** The reason why an etcd transaction failed. */
export type Refusal =
  | { readonly error: StoreError }
  /**
   * Rows that were assumed to exist are absent, or rows that were assumed to be absent exist. The transaction must be
   * planned again.
   */
  | { readonly absent: ReadonlySet<string> };

/** The outcome of a planned transaction. The numbers of its writes start after `offset`. */
export type PlanOutcome = { readonly etcdRevision: number; readonly offset: number } | { readonly refusal: Refusal };

/** An etcd transaction that executes a transaction of the store. */
export interface TransactionPlan {
  /** Returns the request that executes only this transaction. `id` identifies this attempt to execute it. */
  request(id: string): TxnRequest;
  /** Present if the transaction may share a request with others. */
  readonly part?: GroupPart;
  /** The number of each logged write in the transaction; `undefined` for unlogged writes and writes without effect. */
  readonly indexes: readonly (number | undefined)[];
  readonly hasLoggedWrites: boolean;
  readonly hasWrites: boolean;
  explain(response: TxnResponse): Refusal;
}

/** A transaction that shares a request with other transactions. It has logged writes in one slice, and no removals. */
export interface GroupPart {
  readonly slice: string;
  /** The number of logged writes. */
  readonly writes: number;
  /** The number of characters of the keys and values. */
  readonly characters: number;
  /**
   * Returns the transaction without the head of the slice and without the check that the slice exists. Its logged
   * writes have the numbers after `offset`.
   */
  request(offset: number): TxnRequest;
  explain(response: TxnResponse): Refusal;
}

/** A condition of the transaction, and the keys that are read if the transaction fails. */
interface Guard {
  readonly compare: readonly Compare[];
  readonly reads: readonly RangeRequest[];
  /** Returns the refusal if the condition is not met; `undefined` if it is met. */
  refusal(read: readonly (KeyValue | undefined)[]): StoreError | WrongAssumption | undefined;
}

/** A row that was assumed to exist is absent, or a row that was assumed to be absent exists. */
interface WrongAssumption {
  readonly text: string;
  readonly exists: boolean;
}

interface PlanContext {
  readonly keys: KeySpace;
  readonly revisions: RevisionMap;
  /** The removed rows that are known to be absent. Removals of all other rows are expected to have an effect. */
  readonly absent: ReadonlySet<string>;
}

/** Plans a transaction. Throws StoreError TooLarge. */
export function planTransaction(transaction: PreparedTransaction, context: PlanContext): TransactionPlan {
  const slices = slicesOf(transaction);
  const rowGuards = [...checkGuards(transaction, context), ...removalGuards(transaction, context)];
  const guards = [...slices.map((slice) => sliceGuard(slice, context)), ...rowGuards];
  const { operations, heads, indexes } = plannedWrites(transaction, context);
  const { compare, failure } = conditionsOf(guards);
  const size = Math.max(operations.length + heads.size, 1 + compare.length, failure.length);
  if (size > maxOperations || indexes.filter((index) => index !== undefined).length > maxLoggedWrites) {
    const message = `the transaction needs ${size} etcd operations; the limit is ${maxOperations}; write fewer rows at once`;
    throw new StoreError('TooLarge', message);
  }
  const part = size > maxPartOperations ? undefined : groupPart(transaction, context, { slices, rowGuards });
  return {
    indexes,
    hasLoggedWrites: heads.size > 0,
    hasWrites: operations.length > 0,
    request: (id) => ({
      compare: [...compare, { key: context.keys.cancelled(id), version: 0 }],
      success: [...operations, ...headOperations(heads, id, context.keys)],
      failure,
    }),
    explain: ({ ranges }) => explain(guards, ranges, context.absent),
    ...(part && { part }),
  };
}

/**
 * Returns the transaction as a part of a group; `undefined` if the transaction must be sent alone. A removal must be
 * sent alone: the head of the slice contains the number of the removal, and this number would be wrong if another
 * transaction of the group failed.
 */
function groupPart(
  transaction: PreparedTransaction,
  context: PlanContext,
  { slices, rowGuards }: { readonly slices: readonly string[]; readonly rowGuards: readonly Guard[] },
): GroupPart | undefined {
  const [slice, otherSlice] = slices;
  const logged = transaction.writes.filter(({ unlogged }) => !unlogged);
  if (slice === undefined || otherSlice !== undefined || logged.length === 0) return undefined;
  if (logged.some(({ value }) => value === undefined)) return undefined;
  // A key occurs up to three times in a request: it is compared, written, and read if the transaction fails.
  const keyCharacters = [...transaction.checks, ...transaction.writes].reduce(
    (sum, { text }) => sum + 3 * text.length,
    0,
  );
  const characters = transaction.writes.reduce((sum, { value = '' }) => sum + value.length, keyCharacters);
  if (characters > maxPartCharacters) return undefined;
  return {
    slice,
    writes: logged.length,
    characters,
    request: (offset) => ({
      ...conditionsOf(rowGuards),
      success: plannedWrites(transaction, context, offset).operations,
    }),
    explain: ({ ranges }) => explain(rowGuards, ranges, context.absent),
  };
}

function conditionsOf(guards: readonly Guard[]): Pick<TxnRequest, 'compare' | 'failure'> {
  return {
    compare: guards.flatMap((guard) => guard.compare),
    failure: guards.flatMap((guard) => guard.reads.map((range) => ({ range }))),
  };
}

function slicesOf({ writes }: PreparedTransaction): string[] {
  return [...new Set(writes.map(({ key }) => key.slice))];
}

/** Requires that the slice was not removed. This stops writers of a removed slice on all replicas. */
function sliceGuard(slice: string, { keys }: PlanContext): Guard {
  const key = keys.removedSlice(slice);
  return {
    compare: [{ key, version: 0 }],
    reads: [{ key, keysOnly: true }],
    refusal: ([removed]) => (removed === undefined ? undefined : sliceRemovedError()),
  };
}

function checkGuards({ checks, writes }: PreparedTransaction, context: PlanContext): Guard[] {
  const unloggedByText = new Map(writes.map(({ text, unlogged }) => [text, unlogged]));
  return checks.map(({ text, revision }, index) => {
    const failed = () => new StoreError('CheckFailed', 'the key is not at the expected revision', index);
    return revision === undefined
      ? absenceGuard(text, unloggedByText.get(text), context.keys, failed)
      : revisionGuard(text, revision, context, failed);
  });
}

/**
 * Requires that a row does not exist. If the transaction does not write the row, checks it both as a logged and as an
 * unlogged row.
 */
function absenceGuard(text: string, unlogged: boolean | undefined, keys: KeySpace, failed: () => StoreError): Guard {
  const places = [...(unlogged === true ? [] : [keys.row(text)]), ...(unlogged === false ? [] : [keys.unlogged(text)])];
  return {
    compare: places.map((key) => ({ key, version: 0 })),
    reads: places.map((key) => ({ key, keysOnly: true })),
    refusal: (read) => (read.some((row) => row !== undefined) ? failed() : undefined),
  };
}

function revisionGuard(
  text: string,
  revision: number,
  { keys, revisions }: PlanContext,
  failed: () => StoreError,
): Guard {
  const modRevision = revisions.etcdRevision(revision);
  const index = revisions.index(revision);
  const key = index === 0 ? keys.unlogged(text) : keys.row(text);
  const isExpected = (row: KeyValue | undefined) =>
    row?.modRevision === modRevision && (index === 0 || decodeRow(row.value).index === index);
  return {
    // etcd treats an absent key as a key at revision 0, which must not match. No key has version -1, so this condition
    // always fails.
    compare: modRevision < 1 ? [{ key, version: -1 }] : [{ key, modRevision }, ...indexCompares(key, index)],
    reads: [{ key }],
    refusal: ([row]) => (isExpected(row) ? undefined : failed()),
  };
}

/**
 * Requires that a row has the given number of a logged write. The number is the first character of the row's value. No
 * value contains the byte 0xFF, because values are UTF-8.
 */
function indexCompares(key: string, index: number): Compare[] {
  if (index === 0) return [];
  const below = { key, valueBelow: Uint8Array.of(index + 1) };
  return index === 1 ? [below] : [below, { key, valueAbove: Uint8Array.of(index - 1, 0xff) }];
}

/**
 * Requires that the assumptions about removed rows are right. A removal takes a revision only if the row exists, and
 * the numbers of the other writes depend on this.
 */
function removalGuards({ checks, writes }: PreparedTransaction, { keys, absent }: PlanContext): Guard[] {
  const checked = new Set(checks.filter(({ revision }) => revision !== undefined).map(({ text }) => text));
  return writes
    .filter(({ text, value, unlogged }) => value === undefined && !unlogged && !checked.has(text))
    .map(({ text }) => {
      const key = keys.row(text);
      const isAbsent = absent.has(text);
      return {
        compare: [isAbsent ? { key, version: 0 } : { key, exists: true }],
        reads: [{ key, keysOnly: true }],
        refusal: ([row]) => ((row === undefined) === isAbsent ? undefined : { text, exists: row !== undefined }),
      };
    });
}

interface SliceWrites {
  last: number;
  readonly removals: number[];
}

/** Returns the writes. The numbers of the logged writes start after `offset`. */
function plannedWrites({ writes }: PreparedTransaction, { keys, absent }: PlanContext, offset = 0) {
  const operations: Operation[] = [];
  const unlogged = new Map<string, Operation>();
  const heads = new Map<string, SliceWrites>();
  let count = offset;
  const indexes = writes.map((write) => {
    const { text, value } = write;
    if (write.unlogged) {
      const key = keys.unlogged(text);
      unlogged.set(key, value === undefined ? { remove: { key } } : { put: { key, value } });
      return undefined;
    }
    if (value === undefined && absent.has(text)) return undefined;
    const index = ++count;
    const key = keys.row(text);
    operations.push(value === undefined ? { remove: { key } } : { put: { key, value: encodeRow(index, value) } });
    const head = heads.get(write.key.slice) ?? { last: 0, removals: [] };
    heads.set(write.key.slice, head);
    head.last = index;
    if (value === undefined) head.removals.push(index);
    return index;
  });
  return { operations: [...operations, ...unlogged.values()], heads, indexes };
}

function headOperations(heads: ReadonlyMap<string, SliceWrites>, id: string, keys: KeySpace): Operation[] {
  return [...heads].map(([slice, { last, removals }]) => ({
    put: { key: keys.head(slice), value: encodeHead({ last, transaction: id, removals }) },
  }));
}

function explain(guards: readonly Guard[], ranges: TxnResponse['ranges'], assumedAbsent: ReadonlySet<string>): Refusal {
  const absent = new Set(assumedAbsent);
  let at = 0;
  for (const { reads, refusal } of guards) {
    const read = ranges.slice(at, at + reads.length).map((range) => range?.kvs[0]);
    at += reads.length;
    const reason = refusal(read);
    if (reason instanceof StoreError) return { error: reason };
    if (reason?.exists === true) absent.delete(reason.text);
    else if (reason !== undefined) absent.add(reason.text);
  }
  return { absent };
}
