import type { Operation, TxnRequest, TxnResponse } from '../client/messages.ts';
import type { KeySpace } from '../key-space.ts';
import { maxLoggedWrites, type RevisionMap } from '../revision-map.ts';
import { encodeHead } from '../row-value.ts';
import type { Commit } from '../watch/commit-assembler.ts';
import type { GroupPart, PlanOutcome } from './plan-transaction.ts';

/** The maximum number of transactions in a group. etcd counts the operations of all levels of nested transactions. */
const maxParts = 32;

/** The maximum number of characters of the keys and values in a group. A character has at most three bytes. */
const maxCharacters = 64 * 1024;

/** A transaction of a group. Its logged writes have the numbers after `offset`. */
interface PlacedPart {
  readonly part: GroupPart;
  readonly offset: number;
}

type PartOutcomes = ReadonlyMap<GroupPart, PlanOutcome>;

/**
 * Several transactions that one etcd transaction executes. Each of them is a nested transaction, so it succeeds or
 * fails independently of the others. etcd evaluates all conditions before the first write, so no transaction of a group
 * may check or write a key that another transaction writes.
 *
 * The transactions of a slice are inside one more transaction, which writes the head of the slice unless the slice was
 * removed. The head is written even if all transactions of the slice fail; it then names a revision that no write has.
 */
export class TransactionGroup {
  readonly #bySlice = new Map<string, PlacedPart[]>();
  readonly #offsets = new Map<GroupPart, number>();
  #writes = 0;
  #characters = 0;

  /** Adds a transaction and returns true; returns false if the group is full. */
  add(part: GroupPart): boolean {
    const fits =
      this.#offsets.size < maxParts &&
      this.#writes + part.writes <= maxLoggedWrites &&
      this.#characters + part.characters <= maxCharacters;
    if (!fits) return false;
    const placed = { part, offset: this.#writes };
    const others = this.#bySlice.get(part.slice);
    if (others === undefined) this.#bySlice.set(part.slice, [placed]);
    else others.push(placed);
    this.#offsets.set(part, placed.offset);
    this.#writes += part.writes;
    this.#characters += part.characters;
    return true;
  }

  /** Returns the request. `id` identifies this attempt to execute the group. */
  request(id: string, keys: KeySpace): TxnRequest {
    const success = [...this.#bySlice].map(([slice, parts]): Operation => {
      const last = Math.max(...parts.map(({ part, offset }) => offset + part.writes));
      const head = { key: keys.head(slice), value: encodeHead({ last, transaction: id, removals: [] }) };
      const transactions = parts.map(({ part, offset }): Operation => ({ transaction: part.request(offset) }));
      const compare = [{ key: keys.removedSlice(slice), version: 0 }];
      return { transaction: { compare, success: [{ put: head }, ...transactions], failure: [] } };
    });
    return { compare: [{ key: keys.cancelled(id), version: 0 }], success, failure: [] };
  }

  /** True if the group has written something. */
  isApplied({ nested }: TxnResponse): boolean {
    return nested.some(({ succeeded }) => succeeded);
  }

  /** Returns the outcomes of the transactions. Transactions in a removed slice have no outcome. */
  outcomes({ nested, revision }: TxnResponse): PartOutcomes {
    const outcomes = new Map<GroupPart, PlanOutcome>();
    for (const [at, parts] of [...this.#bySlice.values()].entries()) {
      for (const [place, { part, offset }] of parts.entries()) {
        const response = nested[at]?.nested[place];
        if (response === undefined) continue;
        const refusal = response.succeeded ? undefined : part.explain(response);
        outcomes.set(part, refusal === undefined ? { etcdRevision: revision, offset } : { refusal });
      }
    }
    return outcomes;
  }

  /** Returns the outcomes from the commit if the response was lost. Refused transactions have no outcome. */
  outcomesOf({ logged, etcdRevision }: Commit, revisions: RevisionMap): PartOutcomes {
    const numbers = new Set(logged.map(({ change }) => revisions.index(change.revision)));
    const applied = [...this.#offsets].filter(([, offset]) => numbers.has(offset + 1));
    return new Map(applied.map(([part, offset]) => [part, { etcdRevision, offset }]));
  }
}
