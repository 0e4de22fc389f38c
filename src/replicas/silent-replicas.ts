import type { Clock } from '../lib/clock.ts';
import type { Revision } from '../store/store.ts';
import type { ReplicaRows } from './replica-rows.ts';
import { maxPollGapMs, maxSilenceMs } from './replica-timing.ts';

interface ObservedBeat {
  readonly registration: string;
  /** The revision of the heartbeat row; `undefined` if the replica has no heartbeat row yet. */
  readonly revision: Revision | undefined;
  /** The time on the monotonic clock of this process at which the heartbeat was first seen. */
  readonly since: number;
}

/**
 * Finds replicas whose heartbeats have stopped. The time is measured only on the monotonic clock of this process, so
 * clocks of different machines are never compared.
 */
export class SilentReplicas {
  readonly #clock: Clock;
  #beats = new Map<string, ObservedBeat>();
  #lastRead = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Compares the rows with those of the previous call. Returns the replicas that have been silent for too long. */
  update({ members, beats }: ReplicaRows): ReadonlySet<string> {
    const now = this.#clock.elapsed();
    const isInterrupted = now - this.#lastRead > maxPollGapMs;
    this.#lastRead = now;
    const observed = new Map<string, ObservedBeat>();
    const silent = new Set<string>();
    for (const [replica, { row }] of members) {
      const revision = beats.get(replica)?.revision;
      const before = this.#beats.get(replica);
      const isSame = before?.registration === row.registration && before.revision === revision;
      const since = isSame && !isInterrupted ? before.since : now;
      observed.set(replica, { registration: row.registration, revision, since });
      if (now - since >= maxSilenceMs) silent.add(replica);
    }
    this.#beats = observed;
    return silent;
  }

  /** The time until the next replica will have been silent for too long, in milliseconds. Infinity if there is none. */
  get nextDueInMs(): number {
    const now = this.#clock.elapsed();
    let next = Number.POSITIVE_INFINITY;
    for (const { since } of this.#beats.values()) {
      const left = since + maxSilenceMs - now;
      if (left > 0) next = Math.min(next, left);
    }
    return next;
  }
}
