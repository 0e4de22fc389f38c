import { type Clock, systemClock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { ObserverHub } from '../../hub.ts';
import { StoreError, sliceRemovedError } from '../../store-error.ts';
import type { EtcdClient } from '../client/etcd-client.ts';
import { EtcdError, grpcStatus } from '../client/etcd-error.ts';
import type { WatchStream } from '../client/member-connection.ts';
import { rangeMethod } from '../client/methods.ts';
import type { WatchResponse } from '../client/watch-messages.ts';
import type { KeySpace } from '../key-space.ts';
import type { RevisionMap } from '../revision-map.ts';
import { type Commit, CommitAssembler } from './commit-assembler.ts';

interface LiveChangesOptions {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly revisions: RevisionMap;
  readonly hub: ObserverHub;
  readonly log: Log;
  /** Called for each commit, before the observers. */
  readonly onCommit: (commit: Commit) => void;
  /** Called if commits up to this etcd revision were missed. */
  readonly onMissed: (etcdRevision: number) => void;
  /** The time in milliseconds after which another member is watched, if an expected commit does not arrive. */
  readonly stallMilliseconds: number;
}

interface Waiter {
  readonly start: number;
  readonly deadline: number;
  resolve(): void;
  reject(error: EtcdError): void;
}

/**
 * The one watch of a store. It receives every commit of all replicas and passes its changes to the observers. After a
 * failure, the watch continues with the next commit at another member.
 */
export class LiveChanges {
  readonly #options: LiveChangesOptions;
  readonly #clock: Clock = systemClock;
  /** The waiting callers, by the etcd revision that they wait for. */
  readonly #waiting = new Map<number, Waiter[]>();
  #cancelStallCheck: (() => void) | undefined;
  #delivered = 0;
  #failures = 0;
  /** Incremented when a stream is replaced, to ignore late responses of the old stream. */
  #generation = 0;
  #stream: WatchStream | undefined;
  #interruptions = 0;
  #closed = false;

  constructor(options: LiveChangesOptions) {
    this.#options = options;
  }

  /** Starts to deliver the commits after an etcd revision. */
  start(etcdRevision: number): void {
    this.#delivered = etcdRevision;
    this.#connect();
  }

  /** The etcd revision up to which observers have received all changes. */
  get delivered(): number {
    return this.#delivered;
  }

  /** The number of times that commits were missed because etcd had compacted them. */
  get interruptions(): number {
    return this.#interruptions;
  }

  /**
   * Resolves when observers have received all changes up to an etcd revision, which must be the revision of a commit of
   * this store. Rejects with EtcdError after the deadline.
   */
  reached(etcdRevision: number, deadline: number): Promise<void> {
    if (etcdRevision <= this.#delivered) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const waiter = { start: this.#clock.elapsed(), deadline, resolve, reject };
      const waiters = this.#waiting.get(etcdRevision);
      if (waiters === undefined) this.#waiting.set(etcdRevision, [waiter]);
      else waiters.push(waiter);
      this.#cancelStallCheck ??= this.#clock.after(stallCheckMilliseconds, () => this.#checkStall());
    });
  }

  close(): void {
    this.#closed = true;
    this.#generation++;
    this.#stream?.close();
    this.#cancelStallCheck?.();
    this.#rejectWaiters(() => true, 'the store was closed');
  }

  #connect(): void {
    if (this.#closed) return;
    const { client, keys, revisions } = this.#options;
    const generation = ++this.#generation;
    const isCurrent = () => generation === this.#generation;
    const assembler = new CommitAssembler(keys, revisions);
    const failed = (error: unknown) => {
      if (isCurrent()) void this.#reconnect(String(error instanceof EtcdError ? error.details : error));
    };
    client
      .watch(
        { ...keys.watched, startRevision: this.#delivered + 1, withPrevious: true },
        { response: (response) => isCurrent() && this.#receive(response, assembler), failed },
      )
      .then((stream) => {
        if (isCurrent()) this.#stream = stream;
        else stream.close();
      }, failed);
  }

  async #reconnect(reason: string): Promise<void> {
    const { client, log } = this.#options;
    const generation = this.#stopStream();
    this.#failures++;
    log.warn({ reason, after: this.#delivered }, 'the watch of etcd was interrupted; resuming it');
    await client.pause(this.#failures);
    if (generation === this.#generation) this.#connect();
  }

  #receive(response: WatchResponse, assembler: CommitAssembler): void {
    if (response.canceled) {
      if (response.compactRevision > 0) void this.#skipCompacted(response.compactRevision);
      else void this.#reconnect(response.cancelReason);
      return;
    }
    this.#failures = 0;
    for (const commit of assembler.add(response)) {
      if (commit.incomplete > 0) {
        void this.#startOver();
        return;
      }
      this.#deliver(commit);
    }
  }

  #deliver(commit: Commit): void {
    const { hub, onCommit } = this.#options;
    onCommit(commit);
    for (const slice of commit.removedSlices) hub.endSlice(slice, sliceRemovedError());
    if (commit.logged.length > 0) hub.publish(commit.logged);
    this.#delivered = commit.etcdRevision;
    const waiters = this.#waiting.get(commit.etcdRevision);
    if (waiters === undefined) return;
    this.#waiting.delete(commit.etcdRevision);
    for (const waiter of waiters) waiter.resolve();
  }

  /**
   * Continues after the etcd revision up to which etcd was compacted. Every transaction writes the head of a slice and
   * every removal of a slice writes a row, so commits were missed only if a watched key at that revision is newer than
   * the last commit. Otherwise, only other users of etcd have written since the last commit.
   */
  async #skipCompacted(compacted: number): Promise<void> {
    const { client, keys } = this.#options;
    const generation = this.#stopStream();
    const newer = { revision: compacted, minModRevision: this.#delivered + 1, keysOnly: true, limit: 1 };
    try {
      const { kvs } = await client.call(rangeMethod, { ...keys.watched, ...newer });
      if (generation !== this.#generation) return;
      if (kvs.length > 0) await this.#startOver();
      else {
        this.#delivered = Math.max(this.#delivered, compacted);
        this.#connect();
      }
    } catch (error) {
      // If etcd was compacted again, the next watch fails with the new revision.
      if (generation === this.#generation) await this.#reconnect(String(error));
    }
  }

  /** Ends all observers, because they have missed commits, and continues with the current revision. */
  async #startOver(): Promise<void> {
    const { client, keys, hub, log, onMissed } = this.#options;
    const generation = this.#stopStream();
    this.#interruptions++;
    log.error({ after: this.#delivered }, 'etcd has compacted changes that were not received; observations end');
    hub.endAll(new StoreError('Expired', 'etcd has compacted changes that were not delivered yet'));
    for (let failures = 1; generation === this.#generation; failures++) {
      try {
        const { revision } = await client.call(rangeMethod, { key: keys.installation, countOnly: true });
        if (generation !== this.#generation) return;
        this.#delivered = Math.max(this.#delivered, revision);
        break;
      } catch (error) {
        log.warn({ error: String(error) }, 'cannot read the current revision of etcd; retrying');
        await client.pause(failures);
      }
    }
    if (generation !== this.#generation) return;
    onMissed(this.#delivered);
    // Observers that were added in the meantime may have missed commits too.
    hub.endAll(new StoreError('Expired', 'etcd has compacted changes that were not delivered yet'));
    this.#resolveWaiters();
    this.#connect();
  }

  /** Closes the stream. Returns a number that changes when the stream is replaced again. */
  #stopStream(): number {
    this.#stream?.close();
    this.#stream = undefined;
    return ++this.#generation;
  }

  #resolveWaiters(): void {
    for (const [etcdRevision, waiters] of this.#waiting) {
      if (etcdRevision > this.#delivered) continue;
      this.#waiting.delete(etcdRevision);
      for (const waiter of waiters) waiter.resolve();
    }
  }

  /** Watches another member if a commit does not arrive: the current member may be cut off from the others. */
  #checkStall(): void {
    this.#cancelStallCheck = undefined;
    const now = this.#clock.elapsed();
    this.#rejectWaiters(({ deadline }) => deadline <= now, 'a committed change was not delivered in time');
    if (this.#waiting.size === 0) return;
    const oldest = Math.min(...[...this.#waiting.values()].flat().map(({ start }) => start));
    const { stallMilliseconds, client } = this.#options;
    if (now - oldest >= stallMilliseconds && this.#stream !== undefined) {
      client.switchMember();
      void this.#reconnect('an expected change did not arrive');
    }
    this.#cancelStallCheck = this.#clock.after(stallCheckMilliseconds, () => this.#checkStall());
  }

  #rejectWaiters(mustReject: (waiter: Waiter) => boolean, details: string): void {
    for (const [etcdRevision, waiters] of this.#waiting) {
      const rest = waiters.filter((waiter) => !mustReject(waiter));
      if (rest.length === waiters.length) continue;
      if (rest.length === 0) this.#waiting.delete(etcdRevision);
      else this.#waiting.set(etcdRevision, rest);
      const error = new EtcdError(grpcStatus.deadlineExceeded, details);
      for (const waiter of waiters.filter(mustReject)) waiter.reject(error);
    }
  }
}

const stallCheckMilliseconds = 250;
