import { StoreError } from '../../store-error.ts';
import { EtcdError } from '../client/etcd-error.ts';
import type { KeySpace } from '../key-space.ts';
import type { RevisionMap } from '../revision-map.ts';
import type { Committer } from './committer.ts';
import type { GroupPart, PlanOutcome, TransactionPlan } from './plan-transaction.ts';
import { TransactionGroup } from './transaction-group.ts';

/**
 * The maximum number of groups that are sent at the same time. Transactions that are started meanwhile form the next
 * group. With a maximum of one, a transaction would wait for the whole round trip of the previous group before its own.
 */
const maxSentGroups = 2;

/**
 * The maximum difference in milliseconds between the deadlines of the transactions of a group. The earliest deadline
 * applies to the whole group. A transaction that has waited for another transaction with the same key may be close to
 * its deadline.
 */
const maxDeadlineDifference = 500;

/** The maximum number of transactions that wait for a group. */
const maxWaiting = 20_000;

interface Waiting {
  readonly plan: TransactionPlan;
  readonly part: GroupPart;
  readonly deadline: number;
  resolve(outcome: PlanOutcome | Promise<PlanOutcome>): void;
  reject(error: unknown): void;
}

/**
 * Executes planned transactions. Transactions that are started while other transactions are on the way to etcd share a
 * request. This costs etcd and all replicas much less than a separate request, log entry and watch response for each
 * transaction. The caller must not start two transactions at the same time if one of them writes a key that the other
 * one checks or writes.
 */
export class GroupCommitter {
  readonly #committer: Committer;
  readonly #keys: KeySpace;
  readonly #revisions: RevisionMap;
  #waiting: Waiting[] = [];
  #sent = 0;

  constructor(committer: Committer, keys: KeySpace, revisions: RevisionMap) {
    this.#committer = committer;
    this.#keys = keys;
    this.#revisions = revisions;
  }

  /** Executes a transaction. Rejects like `Committer.send`. */
  commit(plan: TransactionPlan, deadline: number): Promise<PlanOutcome> {
    const { part } = plan;
    if (part === undefined) return this.#commitAlone(plan, deadline);
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= maxWaiting) {
        throw new StoreError('Unavailable', `${maxWaiting} writes wait for etcd; try again later`);
      }
      this.#waiting.push({ plan, part, deadline, resolve, reject });
      this.#sendNext();
    });
  }

  async #commitAlone(plan: TransactionPlan, deadline: number): Promise<PlanOutcome> {
    const { hasLoggedWrites } = plan;
    const isApplied = ({ succeeded }: { readonly succeeded: boolean }) => succeeded;
    const result = await this.#committer.send(plan.request, { hasLoggedWrites, deadline, isApplied });
    if ('commit' in result) return { etcdRevision: result.commit.etcdRevision, offset: 0 };
    const { response } = result;
    return response.succeeded ? { etcdRevision: response.revision, offset: 0 } : { refusal: plan.explain(response) };
  }

  #sendNext(): void {
    for (let [first] = this.#waiting; this.#sent < maxSentGroups && first !== undefined; [first] = this.#waiting) {
      const group = new TransactionGroup();
      const { deadline: anchor } = first;
      const full = this.#waiting.findIndex(
        ({ part, deadline }) => Math.abs(deadline - anchor) > maxDeadlineDifference || !group.add(part),
      );
      const members = this.#waiting.splice(0, full === -1 ? this.#waiting.length : full);
      this.#sent++;
      void this.#send(group, members).finally(() => {
        this.#sent--;
        this.#sendNext();
      });
    }
  }

  async #send(group: TransactionGroup, members: readonly Waiting[]): Promise<void> {
    try {
      await this.#sendGroup(group, members);
    } catch (error) {
      // If etcd refuses the group, each transaction is sent alone. For example, the group may be too large for the
      // settings of this etcd. One transaction must not fail the others.
      const isRefused = error instanceof EtcdError && error.isWithoutEffect && members.length > 1;
      for (const { plan, deadline, resolve, reject } of members) {
        if (isRefused) resolve(this.#commitAlone(plan, deadline));
        else reject(error);
      }
    }
  }

  async #sendGroup(group: TransactionGroup, members: readonly Waiting[]): Promise<void> {
    const [first] = members;
    if (first === undefined) return;
    if (members.length === 1) {
      first.resolve(await this.#commitAlone(first.plan, first.deadline));
      return;
    }
    const result = await this.#committer.send((id) => group.request(id, this.#keys), {
      hasLoggedWrites: true,
      // Uses the deadline of the first transaction, which has waited longest.
      deadline: first.deadline,
      isApplied: (response) => group.isApplied(response),
    });
    const outcomes =
      'commit' in result ? group.outcomesOf(result.commit, this.#revisions) : group.outcomes(result.response);
    for (const { plan, part, deadline, resolve } of members) {
      // A transaction without an outcome had no effect. It is sent alone, so etcd returns the reason.
      resolve(outcomes.get(part) ?? this.#commitAlone(plan, deadline));
    }
  }
}
