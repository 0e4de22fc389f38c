import type { ReplicaList } from '../api/replicas/replica-list.ts';
import type { Log } from '../lib/log.ts';
import type { Revision, RevisionCheck } from '../store/store.ts';
import { isStoreClosed } from '../store/store-error.ts';
import { ActiveTenure } from './active-tenure.ts';
import { BeatPace } from './beat-pace.ts';
import { isCheckFailed } from './check-failed.ts';
import { forgetFormer } from './former-replicas.ts';
import { listReplicas } from './list-replicas.ts';
import { LiveReplicas } from './live-replicas.ts';
import { PeriodicTask } from './periodic-task.ts';
import { expelReplica, Registration } from './registration.ts';
import { type ReplicaRows, readReplicaRows } from './replica-rows.ts';
import { beatIntervalMs, handOverDelayMs, maxBeatAgeMs, pollIntervalMs } from './replica-timing.ts';
import type { ReplicaPeers, Replicas, ReplicasOptions } from './replicas.ts';
import { RestartableWork } from './restartable-work.ts';
import { SchemaUpgrade } from './schema-upgrade.ts';
import { leaderTerm, preferredReplica, preferredShards } from './shards.ts';
import { SilentReplicas } from './silent-replicas.ts';
import { readSchema, schemaKey, schemaProblem } from './store-schema.ts';
import type { StartWork } from './tenure.ts';
import { Terms } from './terms.ts';

/**
 * A replica of a store that several processes share. It registers itself, writes heartbeats, expels replicas whose
 * heartbeats have stopped, and takes the terms of which it is the preferred replica.
 */
export class SharedReplicas implements Replicas {
  readonly #options: ReplicasOptions;
  readonly #log: Log;
  readonly #silent: SilentReplicas;
  readonly #terms: Terms;
  readonly #upgrade: SchemaUpgrade;
  readonly #beats: PeriodicTask;
  readonly #polls: PeriodicTask;
  readonly #works = new Set<RestartableWork>();
  readonly #live = new LiveReplicas();
  readonly #pace = new BeatPace();
  readonly #shardListeners = new Set<(shards: readonly string[]) => void>();
  /** The shards that this replica prefers; `undefined` before it is registered. */
  #preferredShards: readonly string[] | undefined;
  #registration: Registration;
  #tenure: ActiveTenure | undefined;
  #tenureSince = 0;
  #isPausedBySlowBeats = false;
  #cancelExpiry = () => {};
  #closed = false;
  /** The last heartbeat of another process with the ID of this replica. */
  #foreignBeat: Revision | undefined;
  /** The last reason why this replica did not register, so that it is logged once. */
  #refusal: string | undefined;

  constructor(options: ReplicasOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#log = log;
    this.#silent = new SilentReplicas(clock);
    this.#terms = new Terms(options);
    this.#upgrade = new SchemaUpgrade(options);
    this.#registration = new Registration(options);
    this.#beats = new PeriodicTask({ clock, run: () => this.#beat() });
    this.#polls = new PeriodicTask({ clock, run: () => this.#poll() });
  }

  start(): void {
    this.#polls.runNow();
    this.#beats.runNow();
  }

  run(start: StartWork): () => Promise<void> {
    const work = new RestartableWork(start, this.#log);
    this.#works.add(work);
    if (this.#tenure !== undefined) work.begin(this.#tenure);
    return async () => {
      this.#works.delete(work);
      await work.close();
    };
  }

  owns(term: string): boolean {
    return this.#tenure?.owns(term) ?? false;
  }

  followPreferredShards(listener: (shards: readonly string[]) => void): () => void {
    this.#shardListeners.add(listener);
    if (this.#preferredShards !== undefined) listener(this.#preferredShards);
    return () => this.#shardListeners.delete(listener);
  }

  list(): Promise<Pick<ReplicaList, 'schema' | 'items'>> {
    const { store, id, clock } = this.#options;
    return listReplicas(store, id, clock);
  }

  async peers(): Promise<ReplicaPeers> {
    const { members, former } = await readReplicaRows(this.#options.store);
    return {
      members: [...members].map(([id, { row }]) => ({ id, peerAddress: row.peerAddress })),
      former: [...former].map(([id, { row }]) => ({ id, ...row })),
    };
  }

  reportFailedCheck({ key, revision }: RevisionCheck): void {
    if (!this.#registration.isComplete) return;
    const { check } = this.#registration;
    if (key.segments.join('/') === check.key.segments.join('/') && revision === check.revision)
      this.#loseRegistration();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#endTenure();
    await Promise.all([...this.#works].map((work) => work.close()));
    await Promise.all([this.#beats.stop(), this.#polls.stop()]);
    if (!this.#registration.isComplete) return;
    await this.#registration
      .remove()
      .catch((error: unknown) => this.#report(error, 'could not remove the registration of this replica'));
  }

  async #beat(): Promise<number> {
    const registration = this.#registration;
    if (!registration.isComplete) return beatIntervalMs;
    const { clock } = this.#options;
    const startedAt = clock.elapsed();
    try {
      await registration.beat();
      this.#reportSlowBeat(this.#pace.noteBeat(clock.elapsed() - startedAt));
      if (registration === this.#registration) this.#beginTenure();
    } catch (error) {
      this.#pace.noteFailure();
      if (isCheckFailed(error)) {
        if (registration === this.#registration) this.#loseRegistration();
      } else this.#report(error, 'could not write the heartbeat of this replica');
    }
    return beatIntervalMs;
  }

  async #poll(): Promise<number> {
    try {
      const rows = await readReplicaRows(this.#options.store);
      const silent = this.#silent.update(rows);
      if (this.#closed) return pollIntervalMs;
      if (await this.#expel(rows, silent)) return 0;
      await this.#divide(rows);
      await this.#lead(rows);
    } catch (error) {
      this.#report(error, 'could not coordinate with the other replicas');
    }
    return Math.min(pollIntervalMs, this.#silent.nextDueInMs);
  }

  /** Reports outdated replicas. At the leader, also raises the schema and removes old rows of former replicas. */
  async #lead(rows: ReplicaRows): Promise<void> {
    const isLeader = this.owns(leaderTerm);
    this.#upgrade.report(rows, isLeader);
    if (!isLeader) return;
    const { check } = this.#registration;
    await this.#upgrade.raise(rows, check);
    await forgetFormer(this.#options.store, rows, this.#options.clock);
  }

  /** Expels silent replicas. Returns true if there was a silent replica; the caller must then read the rows again. */
  async #expel(rows: ReplicaRows, silent: ReadonlySet<string>): Promise<boolean> {
    let hasExpelled = false;
    for (const replica of silent) {
      const isThis = rows.members.get(replica)?.row.registration === this.#registration.id;
      if (isThis || !(await expelReplica(this.#options, replica, rows))) continue;
      hasExpelled = true;
      this.#log.warn({ replica }, 'expelled a replica whose heartbeats have stopped; others continue its work');
    }
    return hasExpelled;
  }

  /** Registers this replica if necessary, and takes and hands over terms. */
  async #divide(rows: ReplicaRows): Promise<void> {
    const registration = this.#registration;
    if (!registration.isComplete) {
      await this.#register(registration, rows);
      return;
    }
    // The rows may be older than the registration.
    if (rows.members.get(this.#options.id)?.row.registration !== registration.id) return;
    const replicas = new Set(rows.members.keys());
    if (this.#live.update(replicas, this.#options.clock.elapsed())) this.#notifyPreferredShards(replicas);
    this.#terms.dropForeign(registration, rows);
    const hasAdopted = this.#terms.adopt(registration, rows);
    const hasAcquired = await this.#terms.acquire(registration, rows, replicas);
    if (registration !== this.#registration) return;
    if (hasAdopted || hasAcquired) this.#tenure?.notifyGained();
    if (this.#live.unchangedMs(this.#options.clock.elapsed()) < handOverDelayMs) return;
    const misplaced = [...registration.held].filter(
      (term) =>
        term !== leaderTerm &&
        preferredReplica(term, replicas) !== this.#options.id &&
        this.#tenure?.isBusy(term) !== true,
    );
    await this.#terms.release(registration, rows, misplaced);
  }

  #notifyPreferredShards(replicas: ReadonlySet<string>): void {
    this.#preferredShards = preferredShards(this.#options.id, replicas);
    for (const listener of this.#shardListeners) listener(this.#preferredShards);
  }

  async #register(registration: Registration, rows: ReplicaRows): Promise<void> {
    registration.adopt(rows);
    if (registration.isComplete) return;
    if (rows.members.has(this.#options.id)) {
      // The registration of an earlier process with this replica ID still exists. Another replica expels it soon,
      // unless the earlier process still writes heartbeats.
      this.#reportDuplicate(rows.beats.get(this.#options.id)?.revision);
      return;
    }
    const stored = await readSchema(this.#options.store);
    const problem = schemaProblem(stored.schema, this.#options.details().schemas);
    if (problem !== undefined) {
      if (problem !== this.#refusal) this.#log.error({}, `this server does no background work: ${problem}`);
      this.#refusal = problem;
      return;
    }
    try {
      await registration.register({ key: schemaKey, revision: stored.revision });
    } catch (error) {
      // The row was written since it was read, possibly by this process. The next read shows it.
      if (isCheckFailed(error)) return;
      throw error;
    }
    this.#log.info({ replica: this.#options.id }, 'registered as a replica');
    this.#beginTenure();
    this.#polls.runNow();
  }

  #reportDuplicate(beat: Revision | undefined): void {
    if (this.#foreignBeat !== undefined && beat !== this.#foreignBeat) {
      this.#log.error(
        { replica: this.#options.id },
        'another running server has the same replica ID; this one does no background work; give each server its own data directory',
      );
    }
    this.#foreignBeat = beat;
  }

  #beginTenure(): void {
    if (this.#closed || this.#tenure !== undefined || !this.#registration.isCurrent || !this.#pace.isSteady) return;
    const registration = this.#registration;
    const tenure = new ActiveTenure({
      fence: registration.check,
      held: registration.held,
      isCurrent: () => registration.isCurrent,
    });
    this.#tenure = tenure;
    this.#tenureSince = this.#options.clock.elapsed();
    this.#watchBeatAge();
    for (const work of [...this.#works]) work.begin(tenure);
  }

  /** Ends the tenure as soon as the last successful heartbeat is too old. */
  #watchBeatAge(): void {
    const left = maxBeatAgeMs - this.#registration.beatAgeMs;
    this.#cancelExpiry = this.#options.clock.after(left, () => {
      if (this.#registration.isCurrent) {
        this.#watchBeatAge();
        return;
      }
      this.#log.warn({}, 'stopping background work: this replica could not write its heartbeat for three seconds');
      this.#pace.noteExpiry(this.#options.clock.elapsed() - this.#tenureSince);
      this.#endTenure();
    });
  }

  /** Logs once the reason why no tenure begins although heartbeats succeed. */
  #reportSlowBeat(isQuick: boolean): void {
    const isPaused = !isQuick && this.#tenure === undefined && this.#registration.isComplete;
    if (isPaused && !this.#isPausedBySlowBeats)
      this.#log.warn(
        {},
        'background work stays paused until the store answers faster: a heartbeat took more than 1.5 seconds',
      );
    if (isPaused || isQuick) this.#isPausedBySlowBeats = isPaused;
  }

  #endTenure(): void {
    this.#cancelExpiry();
    this.#tenure?.end();
    this.#tenure = undefined;
    for (const work of this.#works) void work.end();
  }

  /** Another replica has expelled this replica. Registers it again. */
  #loseRegistration(): void {
    this.#log.warn({}, 'background work stops, because another replica has expelled this one; registering again');
    this.#registration = new Registration(this.#options);
    this.#endTenure();
    if (!this.#closed) this.#polls.runNow();
  }

  #report(error: unknown, message: string): void {
    if (this.#closed || isStoreClosed(error)) return;
    this.#log.warn({ error: String(error) }, message);
  }
}
