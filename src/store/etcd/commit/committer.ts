import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { systemClock } from '../../../lib/clock.ts';
import { Semaphore } from '../../../lib/queue/semaphore.ts';
import { StoreError } from '../../store-error.ts';
import type { EtcdClient } from '../client/etcd-client.ts';
import { EtcdError } from '../client/etcd-error.ts';
import type { TxnRequest, TxnResponse } from '../client/messages.ts';
import { leaseGrantMethod, txnMethod } from '../client/methods.ts';
import type { KeySpace } from '../key-space.ts';
import type { Commit } from '../watch/commit-assembler.ts';
import type { LiveChanges } from '../watch/live-changes.ts';

/**
 * The time for which a cancelled transaction stays cancelled. A request waits in etcd for some seconds at most, plus
 * the time for which a member is paused.
 */
const cancellationSeconds = 24 * 3600;

/**
 * The maximum number of transactions that are sent at the same time. etcd would not execute more of them faster, and
 * their waiting time in etcd would look like a failure of etcd.
 */
const maxSent = 128;
/** The maximum number of transactions that wait to be sent. */
const maxWaiting = 20_000;

/** A transaction that was sent and whose outcome is not known yet. */
interface Attempt {
  /** The commit of the transaction, if the watch has delivered it. */
  commit: Commit | undefined;
}

interface SendOptions {
  readonly hasLoggedWrites: boolean;
  readonly deadline: number;
  /** Returns true if the transaction has written something. */
  isApplied(response: TxnResponse): boolean;
}

/** The response of etcd, or the commit if the transaction was applied but its response was lost. */
export type SendResult = { readonly response: TxnResponse } | { readonly commit: Commit };

/** Sends transactions to etcd, and finds out whether they were applied if the response is lost. */
export class Committer {
  readonly #client: EtcdClient;
  readonly #keys: KeySpace;
  readonly #live: LiveChanges;
  readonly #attempts = new Map<string, Attempt>();
  readonly #slots = new Semaphore(maxSent, maxWaiting);
  readonly #session = randomBytes(9).toString('base64url');
  /**
   * A signal that never fires. Waiting for a slot need not be aborted, because a slot is released when the deadline of
   * its transaction is over.
   */
  readonly #never = new AbortController().signal;
  #lease: { readonly id: bigint; readonly usableUntil: number } | undefined;
  #count = 0;

  constructor(client: EtcdClient, keys: KeySpace, live: LiveChanges) {
    this.#client = client;
    this.#keys = keys;
    this.#live = live;
    setMaxListeners(0, this.#never);
  }

  /** Must be called for each commit that the watch delivers. */
  noteCommit(commit: Commit): void {
    for (const id of commit.transactions) {
      const attempt = this.#attempts.get(id);
      if (attempt !== undefined) attempt.commit = commit;
    }
  }

  /**
   * Sends a transaction that writes. Retries it after failures that certainly had no effect. Rejects with EtcdError or
   * StoreError Unavailable if the transaction had no effect, and with StoreError UnknownOutcome if the outcome is
   * unknown.
   */
  async send(request: (id: string) => TxnRequest, options: SendOptions): Promise<SendResult> {
    if (this.#slots.isFull) throw new StoreError('Unavailable', `${maxWaiting} writes wait for etcd; try again later`);
    const release = await this.#slots.acquire(this.#never);
    try {
      return await this.#sendRepeatedly(request, options);
    } finally {
      release();
    }
  }

  async #sendRepeatedly(
    request: (id: string) => TxnRequest,
    { hasLoggedWrites, deadline, isApplied }: SendOptions,
  ): Promise<SendResult> {
    for (let failures = 1; ; failures++) {
      if (this.#client.isOver(deadline)) throw overdueError();
      const id = `${this.#session}${(this.#count++).toString(36)}`;
      const attempt: Attempt = { commit: undefined };
      this.#attempts.set(id, attempt);
      const { interruptions } = this.#live;
      try {
        const response = await this.#client.callOnce(txnMethod, request(id), deadline);
        if (hasLoggedWrites && isApplied(response) && this.#live.interruptions === interruptions) {
          this.#assertNotBack(response.revision, attempt);
        }
        return { response };
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        if (!error.isWithoutEffect) {
          if (!hasLoggedWrites) throw unknownOutcomeError(error);
          const commit = await this.#decide(id, attempt, { deadline, error });
          if (commit !== undefined) return { commit };
        } else if (!error.isTransient || this.#client.isOver(deadline)) throw error;
      } finally {
        this.#attempts.delete(id);
      }
      await this.#client.pause(failures);
    }
  }

  /**
   * Throws if the watch has already delivered the etcd revision of the transaction, or a later one, but not the
   * transaction itself. The watch will never deliver this transaction, so observers and writers no longer agree.
   */
  #assertNotBack(etcdRevision: number, attempt: Attempt): void {
    const { delivered } = this.#live;
    if (etcdRevision > delivered || attempt.commit !== undefined) return;
    const cause = 'a snapshot was restored without "etcdutl snapshot restore --bump-revision --mark-compacted"';
    const message = `the revision of etcd went back from ${delivered} to ${etcdRevision}, probably because ${cause}`;
    throw new StoreError('UnknownOutcome', `${message}; restore it again with these flags, and restart all servers`);
  }

  /**
   * Finds out whether a transaction was applied. Writes the row that every attempt requires to be absent, so the
   * transaction cannot be applied later. When the watch delivers this row, all earlier commits have arrived. Returns
   * the commit of the transaction; `undefined` if it was not applied and never will be.
   */
  async #decide(
    id: string,
    attempt: Attempt,
    { deadline, error }: { readonly deadline: number; readonly error: EtcdError },
  ): Promise<Commit | undefined> {
    if (attempt.commit !== undefined) return attempt.commit;
    const { interruptions } = this.#live;
    try {
      const lease = await this.#getLease(deadline);
      const put = { key: this.#keys.cancelled(id), value: '', lease };
      const cancellation = { compare: [], success: [{ put }], failure: [] };
      const { revision } = await this.#client.call(txnMethod, cancellation, deadline);
      await this.#live.reached(revision, deadline);
    } catch (cause) {
      if (!(cause instanceof EtcdError)) throw cause;
      if (attempt.commit === undefined) throw unknownOutcomeError(error);
    }
    const hasMissedCommits = this.#live.interruptions !== interruptions;
    if (attempt.commit === undefined && hasMissedCommits) throw unknownOutcomeError(error);
    return attempt.commit;
  }

  /** Returns the lease with which cancellations expire. The cancellations of an hour share a lease. */
  async #getLease(deadline: number): Promise<bigint> {
    const now = systemClock.elapsed();
    if (this.#lease !== undefined && now < this.#lease.usableUntil) return this.#lease.id;
    const { lease } = await this.#client.call(leaseGrantMethod, { seconds: cancellationSeconds }, deadline);
    this.#lease = { id: lease, usableUntil: now + 3_600_000 };
    return lease;
  }
}

function overdueError(): StoreError {
  return new StoreError('Unavailable', 'etcd is too slow: it did not answer earlier requests in time');
}

export function unknownOutcomeError(error: EtcdError): StoreError {
  const message = `etcd did not confirm the write, so it may or may not have happened: ${error.details}; read the object before you repeat the write`;
  return new StoreError('UnknownOutcome', message, undefined, { cause: error });
}
