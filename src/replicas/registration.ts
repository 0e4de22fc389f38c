import { randomUUID } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { Key } from '../store/key.ts';
import type { Revision, RevisionCheck, Store, Write } from '../store/store.ts';
import { isCheckFailed } from './check-failed.ts';
import { rememberFormer } from './former-replicas.ts';
import {
  beatKey,
  type CacheState,
  formerKey,
  type HeartbeatRow,
  type MemberRow,
  memberKey,
  type ReplicaDetails,
  type ReplicaRows,
  rosterKey,
} from './replica-rows.ts';
import { maxBeatAgeMs } from './replica-timing.ts';

export interface RegistrationOptions {
  readonly id: string;
  details(): ReplicaDetails;
  /** Returns the state of the caches, which each heartbeat contains. Optional. */
  caches?(): CacheState | undefined;
  /** Returns the IDs of the root keys that this replica has, which each heartbeat contains. Optional. */
  rootKeys?(): readonly string[] | undefined;
  readonly store: Pick<Store, 'transact'>;
  readonly clock: Clock;
}

/** A registration of this replica. It is valid until the replica shuts down or another replica expels it. */
export class Registration {
  readonly id = randomUUID();
  /** The terms that this replica holds. No other replica can take them while the registration is valid. */
  readonly held = new Set<string>();
  readonly #options: RegistrationOptions;
  #revision: Revision | undefined;
  #beat = 0;
  #lastBeatAt = Number.NEGATIVE_INFINITY;

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  /** True after the member row was written. */
  get isComplete(): boolean {
    return this.#revision !== undefined;
  }

  /** The check that the registration is still valid. */
  get check(): RevisionCheck {
    if (this.#revision === undefined) throw new Error('the replica is not registered');
    return { key: memberKey(this.#options.id), revision: this.#revision };
  }

  /**
   * The time since the last successful heartbeat was sent, in milliseconds. The heartbeat may have reached the store,
   * and thus other replicas, later.
   */
  get beatAgeMs(): number {
    return this.#options.clock.elapsed() - this.#lastBeatAt;
  }

  /** True if background work may continue. */
  get isCurrent(): boolean {
    return this.beatAgeMs < maxBeatAgeMs;
  }

  /**
   * Writes the member row. `schema` checks that the schema version of the store has not been raised. Rejects with
   * CheckFailed if it has been raised, or if the replica is already registered.
   */
  async register(schema: RevisionCheck): Promise<void> {
    const { id, store, clock } = this.#options;
    const sentAt = clock.elapsed();
    const member: MemberRow = { registration: this.id, ...this.#options.details() };
    const [revision] = await store.transact({
      checks: [{ key: memberKey(id), revision: undefined }, schema],
      writes: [
        { key: memberKey(id), value: JSON.stringify(member) },
        this.#nextBeat(),
        removed(formerKey(id)),
        { key: rosterKey, value: this.id },
      ],
    });
    this.#revision = revision;
    this.#lastBeatAt = sentAt;
  }

  /** Takes over the member row of this registration if it exists in the store, although `register` has failed. */
  adopt({ members }: ReplicaRows): void {
    const member = members.get(this.#options.id);
    if (member?.row.registration === this.id) this.#revision = member.revision;
  }

  /** Writes the next heartbeat. Rejects with CheckFailed if the registration is no longer valid. */
  async beat(): Promise<void> {
    const sentAt = this.#options.clock.elapsed();
    await this.#options.store.transact({ checks: [this.check], writes: [this.#nextBeat()] });
    this.#lastBeatAt = sentAt;
  }

  /** Removes the registration. Its terms are free immediately. */
  async remove(): Promise<void> {
    const { id, store, clock } = this.#options;
    const writes = [removed(memberKey(id)), removed(beatKey(id)), rememberFormer(id, clock, false)];
    await store.transact({ checks: [this.check], writes });
  }

  #nextBeat(): Write {
    const { clock, caches, rootKeys } = this.#options;
    const beat: HeartbeatRow = {
      registration: this.id,
      beat: ++this.#beat,
      time: clock.now(),
      caches: caches?.(),
      rootKeys: rootKeys?.(),
    };
    return { key: beatKey(this.#options.id), value: JSON.stringify(beat) };
  }
}

/**
 * Removes the registration of a replica whose heartbeats have stopped. Returns false if the replica has written a
 * heartbeat in the meantime.
 */
export async function expelReplica(
  { store, clock }: Pick<RegistrationOptions, 'store' | 'clock'>,
  id: string,
  { members, beats }: ReplicaRows,
): Promise<boolean> {
  try {
    await store.transact({
      checks: [
        { key: memberKey(id), revision: members.get(id)?.revision },
        { key: beatKey(id), revision: beats.get(id)?.revision },
      ],
      writes: [removed(memberKey(id)), removed(beatKey(id)), rememberFormer(id, clock, true)],
    });
    return true;
  } catch (error) {
    if (isCheckFailed(error)) return false;
    throw error;
  }
}

function removed(key: Key): Write {
  return { key, value: undefined };
}
