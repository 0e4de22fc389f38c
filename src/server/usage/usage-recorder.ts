import { addPeriods, addSubjects, noAmounts, type UsageAmounts } from '../../api/usage/usage-amounts.ts';
import { addToSlot, type Chunk, dayRing, type Ring, slotAt } from '../../api/usage/usage-rings.ts';
import type { PlaneUsage } from '../../builtin/plane-usage.ts';
import type { Clock } from '../../lib/clock.ts';
import type { RevisionCheck, Store } from '../../store/store.ts';
import type { Contribution } from './contributions.ts';
import { amountsOf, type HostUseIndex, type ObjectSize, type UseLocation } from './instance-use.ts';
import type { RequestCounts } from './request-counters.ts';
import { readLatestAmounts, readSlots, removeOldRows, type SubjectKey, storeSlots } from './usage-rows.ts';

/** An instance whose usage is recorded. */
export interface RecordedInstance extends UseLocation {
  readonly uid: string;
  readonly cluster: string;
  readonly isRunning: boolean;
  /** The ID of the instance's plane, if the instance is a virtual cluster on the built-in cluster. */
  readonly planeId: string | undefined;
  /**
   * The UIDs of the project and the cluster whose usage includes the usage of the instance. Absent if the project or
   * cluster does not exist.
   */
  readonly projectUid: string | undefined;
  readonly clusterUid: string | undefined;
}

/** The projects and clusters whose usage is recorded even without instances, by uid. */
export interface RecordedSubjects {
  readonly instances: Iterable<RecordedInstance>;
  readonly projects: Iterable<string>;
  readonly clusters: Iterable<string>;
}

export interface UsageRecorderOptions {
  readonly store: Pick<Store, 'get' | 'list' | 'transact'>;
  readonly clock: Clock;
  readonly fence: RevisionCheck | undefined;
  /** True if the work for planes of the built-in cluster is measured. */
  readonly measuresWork: boolean;
}

/** The usage of an interval. */
export interface Interval {
  readonly seconds: number;
  readonly contributions: readonly Contribution[];
  readonly subjects: RecordedSubjects;
  /** The use of hosts by cluster. Clusters that do not report it are absent. */
  readonly hosts: ReadonlyMap<string, HostUseIndex>;
}

interface PendingSubject {
  /** The time of the oldest amount, on the monotonic clock. */
  readonly since: number;
  /** True if the amounts contain requests or work. */
  isUsed: boolean;
  readonly slots: Map<number, UsageAmounts>;
}

/**
 * The longest time for which the amounts of used instances are only in memory. Amounts of unused instances change
 * little, so they may stay in memory longer.
 */
const maxUnwrittenMs = 5 * 60_000;
const maxUnwrittenIdleMs = 15 * 60_000;
/**
 * The maximum number of slots of a subject in memory: three hours. Older slots are dropped if the store accepts no
 * writes.
 */
const maxPendingSlots = 36;
const removalIntervalMs = 3_600_000;
/** The time after which the size of a plane without an instance is dropped. An instance names its plane within seconds. */
const maxUnassignedMs = 10 * 60_000;

/** Records the usage of all subjects. Only the leader has a recorder. Its functions must not run concurrently. */
export class UsageRecorder {
  readonly #options: UsageRecorderOptions;
  readonly #pending = new Map<SubjectKey, PendingSubject>();
  /** The last known size of each instance. It stays valid while a plane is not loaded. */
  readonly #sizes = new Map<string, ObjectSize>();
  /**
   * The sizes of planes that belong to no known instance, each with the time of the measurement. A plane is measured
   * when it is created, which is before its instance names it.
   */
  readonly #unassigned = new Map<string, { readonly size: ObjectSize; readonly since: number }>();
  #isSeeded = false;
  /** Resolves after the last write of amounts, even if the write failed. */
  #flushing: Promise<void> = Promise.resolve();
  #lastRemoval = Number.NEGATIVE_INFINITY;

  constructor(options: UsageRecorderOptions) {
    this.#options = options;
  }

  /** Adds the usage of an interval that has ended now. */
  async add(interval: Interval): Promise<void> {
    if (!this.#isSeeded) await this.#seedSizes();
    const { clock } = this.#options;
    // An interval that ends at the end of a slot belongs to this slot, and not to the next one.
    const slot = slotAt(dayRing, clock.now() - 1);
    const requests = sumOfRequests(interval.contributions);
    const planes = sumOfPlanes(interval.contributions);
    for (const { planeId, size } of planes.values()) {
      if (size === undefined) continue;
      const { objects, bytes } = size;
      this.#unassigned.set(planeId, { size: { objects, kib: bytes / 1024 }, since: clock.elapsed() });
    }
    const sums = this.#emptySums(interval);
    const known = new Set<string>();
    for (const instance of interval.subjects.instances) {
      known.add(instance.uid);
      const amounts = this.#amountsOf(instance, interval, requests.get(instance.uid), planes);
      this.#addPending(`instance/${instance.uid}`, slot, amounts);
      for (const subject of aggregatesOf(instance)) {
        sums.set(subject, addSubjects(sums.get(subject) ?? noAmounts, amounts));
      }
    }
    for (const [subject, amounts] of sums) this.#addPending(subject, slot, amounts);
    for (const uid of this.#sizes.keys()) if (!known.has(uid)) this.#sizes.delete(uid);
    const oldest = clock.elapsed() - maxUnassignedMs;
    for (const [id, { since }] of this.#unassigned) if (since < oldest) this.#unassigned.delete(id);
    this.#dropRemoved(interval.subjects, known);
  }

  /** Stores the amounts that are due; all of them if `isLast` is true. */
  async flush(isLast = false): Promise<void> {
    const flushing = this.#flush(isLast);
    this.#flushing = flushing.then(
      () => {},
      () => {},
    );
    await flushing;
  }

  /** Returns the slots of a subject, including slots that are not stored yet. */
  async slotsOf(ring: Ring, subject: SubjectKey): Promise<Chunk> {
    for (;;) {
      // Waits for the running flush; otherwise its amounts could be counted twice or missed.
      const flushing = this.#flushing;
      await flushing;
      const pending = [...(this.#pending.get(subject)?.slots ?? [])];
      const stored = await readSlots(this.#options.store, ring, subject, this.#options.clock.now());
      if (this.#flushing !== flushing) continue;
      for (const [slot, amounts] of pending) {
        addToSlot(stored, Math.floor((slot * dayRing.slotSeconds) / ring.slotSeconds), amounts);
      }
      return stored;
    }
  }

  /** Drops the amounts of a subject that was removed. */
  forget(subject: SubjectKey): void {
    this.#pending.delete(subject);
  }

  async #flush(isLast: boolean): Promise<void> {
    const { store, fence, clock } = this.#options;
    const now = clock.elapsed();
    const due = [...this.#pending].filter(
      ([, { since, isUsed }]) => isLast || now - since >= (isUsed ? maxUnwrittenMs : maxUnwrittenIdleMs),
    );
    await storeSlots(store, new Map(due.map(([subject, { slots }]) => [subject, slots])), fence, (stored) => {
      for (const subject of stored) this.#pending.delete(subject);
    });
    if (isLast || now - this.#lastRemoval < removalIntervalMs) return;
    await removeOldRows(store, clock.now(), fence);
    this.#lastRemoval = now;
  }

  async #seedSizes(): Promise<void> {
    for (const [subject, amounts] of await readLatestAmounts(this.#options.store, this.#options.clock.now())) {
      const [kind, uid = ''] = subject.split('/');
      const { sizeSeconds, objectSeconds, kibSeconds } = amounts;
      if (kind !== 'instance' || sizeSeconds === 0 || this.#sizes.has(uid)) continue;
      this.#sizes.set(uid, { objects: objectSeconds / sizeSeconds, kib: kibSeconds / sizeSeconds });
    }
    this.#isSeeded = true;
  }

  #amountsOf(
    instance: RecordedInstance,
    { seconds, hosts }: Interval,
    requests: RequestCounts | undefined,
    planes: ReadonlyMap<string, PlaneUsage>,
  ): UsageAmounts {
    const { uid, planeId, isRunning } = instance;
    const plane = planeId === undefined ? undefined : planes.get(planeId);
    const measured = planeId === undefined ? undefined : this.#unassigned.get(planeId);
    if (planeId !== undefined && measured !== undefined) {
      this.#sizes.set(uid, measured.size);
      this.#unassigned.delete(planeId);
    }
    const measuresWork = planeId !== undefined && this.#options.measuresWork;
    return amountsOf({
      seconds,
      isRunning,
      requests,
      size: planeId === undefined ? undefined : this.#sizes.get(uid),
      workMs: measuresWork ? (plane?.workMs ?? 0) : undefined,
      ...hosts.get(instance.cluster)?.useOf(instance),
    });
  }

  /**
   * Returns zero amounts for everything that was observed. Without these amounts, times without usage would be gaps.
   */
  #emptySums({ seconds, subjects }: Interval): Map<SubjectKey, UsageAmounts> {
    const empty = { ...noAmounts, seconds };
    return new Map<SubjectKey, UsageAmounts>([
      ['fleet', empty],
      ...[...subjects.projects].map((uid) => [`project/${uid}`, empty] as const),
      ...[...subjects.clusters].map((uid) => [`cluster/${uid}`, empty] as const),
    ]);
  }

  #addPending(subject: SubjectKey, slot: number, amounts: UsageAmounts): void {
    let pending = this.#pending.get(subject);
    if (pending === undefined) {
      pending = { since: this.#options.clock.elapsed(), isUsed: false, slots: new Map() };
      this.#pending.set(subject, pending);
    }
    pending.isUsed ||= amounts.requests > 0 || amounts.watchSeconds > 0 || amounts.workMs > 0;
    pending.slots.set(slot, addPeriods(pending.slots.get(slot) ?? noAmounts, amounts));
    if (pending.slots.size > maxPendingSlots) pending.slots.delete(Math.min(...pending.slots.keys()));
  }

  #dropRemoved({ projects, clusters }: RecordedSubjects, instances: ReadonlySet<string>): void {
    const kept = { instance: instances, project: new Set(projects), cluster: new Set(clusters) };
    for (const subject of this.#pending.keys()) {
      const [kind = '', uid = ''] = subject.split('/');
      if (kind !== 'fleet' && !kept[kind as keyof typeof kept].has(uid)) this.#pending.delete(subject);
    }
  }
}

function aggregatesOf({ projectUid, clusterUid }: RecordedInstance): SubjectKey[] {
  return [
    'fleet',
    ...(projectUid === undefined ? [] : [`project/${projectUid}` as const]),
    ...(clusterUid === undefined ? [] : [`cluster/${clusterUid}` as const]),
  ];
}

function sumOfRequests(contributions: readonly Contribution[]): ReadonlyMap<string, RequestCounts> {
  const sums = new Map<string, RequestCounts>();
  for (const { requests } of contributions) {
    for (const [uid, counts] of requests) {
      const sum = sums.get(uid) ?? { requests: 0, watchSeconds: 0 };
      sums.set(uid, {
        requests: sum.requests + counts.requests,
        watchSeconds: sum.watchSeconds + counts.watchSeconds,
      });
    }
  }
  return sums;
}

/**
 * Returns, for each plane, the total work of all replicas and the size of the plane. Copies of a plane have the same
 * size, so the largest reported size is the newest.
 */
function sumOfPlanes(contributions: readonly Contribution[]): ReadonlyMap<string, PlaneUsage> {
  const sums = new Map<string, PlaneUsage>();
  for (const usage of contributions.flatMap(({ planes }) => planes)) {
    const { planeId, size, workMs } = usage;
    const other = sums.get(planeId);
    const largest = (size?.objects ?? -1) >= (other?.size?.objects ?? -1) ? size : other?.size;
    const work = workMs === undefined && other?.workMs === undefined ? undefined : (workMs ?? 0) + (other?.workMs ?? 0);
    sums.set(planeId, {
      planeId,
      ...(largest === undefined ? {} : { size: largest }),
      ...(work === undefined ? {} : { workMs: work }),
    });
  }
  return sums;
}
