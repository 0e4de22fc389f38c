import { timedOut } from '../../api/status.ts';
import type { Chunk, Ring } from '../../api/usage/usage-rings.ts';
import type { PlaneUsage } from '../../builtin/plane-usage.ts';
import { readHostUse } from '../../hosts/kubernetes/observe/pod-usage.ts';
import type { HostConnection } from '../../hosts/kubernetes/reach/host-connection.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { KindStores } from '../../registry/kind-stores.ts';
import { withStatusErrors } from '../../registry/store-status.ts';
import { PeriodicTask } from '../../replicas/periodic-task.ts';
import type { Replicas } from '../../replicas/replicas.ts';
import type { Store } from '../../store/store.ts';
import { runOnLeader } from '../background/run-on-leader.ts';
import { type Contribution, Contributions } from './contributions.ts';
import { HostUseIndex } from './instance-use.ts';
import { RequestCounters } from './request-counters.ts';
import { UsageRecorder } from './usage-recorder.ts';
import { readSlots, removeKeys, removeSubject, type SubjectKey } from './usage-rows.ts';
import { UsageSubjects } from './usage-subjects.ts';

export interface UsageOptions {
  /** The ID of this server. */
  readonly id: string;
  readonly store: Store;
  readonly kinds: KindStores;
  readonly replicas: Replicas;
  /** The length of an interval, in seconds. */
  readonly sampleSeconds: number;
  readonly planes: { takeUsage(): Promise<readonly PlaneUsage[]> };
  readonly measuresWork: boolean;
  connectionOf(cluster: string): Pick<HostConnection, 'fetch'> | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** The time limit for a host to report its use of resources. */
const hostTimeoutMs = 10_000;

/** Returns the slots of a subject that this server knows. */
export type SlotsOf = (ring: Ring, subject: SubjectKey) => Promise<Chunk>;

/**
 * The usage that this server counts. At the end of each interval, the leader adds up the counts of all servers and
 * stores the sum. The other servers store their counts for the leader.
 */
export class UsageSampling {
  readonly requests: RequestCounters;
  readonly #options: UsageOptions;
  readonly #contributions: Contributions;
  readonly #subjects: UsageSubjects;
  readonly #task: PeriodicTask;
  readonly #stopLeading: () => Promise<void>;
  #leading: LeaderState | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(options: UsageOptions) {
    const { store, clock, kinds, replicas, id } = options;
    this.#options = options;
    this.requests = new RequestCounters(clock);
    this.#contributions = new Contributions(store, id);
    this.#subjects = new UsageSubjects(kinds, (subject) => this.#forget(subject));
    this.#task = new PeriodicTask({ clock, run: () => this.#run() });
    this.#stopLeading = runOnLeader(replicas, (fence, assertCurrent) => {
      const recorder = new UsageRecorder({ store, clock, fence, measuresWork: options.measuresWork });
      const leading: LeaderState = { recorder, assertCurrent, since: clock.elapsed() };
      this.#leading = leading;
      return async () => {
        // Counts the interval up to now as the last one, if this server may still write.
        await this.#guarded(() => this.#record(leading, true));
        this.#leading = undefined;
      };
    });
    this.#task.runNow();
  }

  readonly slotsOf: SlotsOf = async (ring, subject) => {
    const { store, clock } = this.#options;
    const recorder = this.#leading?.recorder;
    return await withStatusErrors(
      recorder === undefined ? readSlots(store, ring, subject, clock.now()) : recorder.slotsOf(ring, subject),
    );
  };

  async close(): Promise<void> {
    await this.#task.stop();
    const contributes = this.#leading === undefined;
    await this.#stopLeading();
    if (contributes) await this.#guarded(() => this.#contribute());
    this.#subjects.stop();
  }

  /**
   * Ends an interval. Returns the time until the end of the next interval. Intervals end at the same time on all
   * servers.
   */
  async #run(): Promise<number> {
    const { clock, sampleSeconds } = this.#options;
    const leading = this.#leading;
    await this.#guarded(() => (leading === undefined ? this.#contribute() : this.#record(leading)));
    const interval = sampleSeconds * 1000;
    return interval - (clock.now() % interval);
  }

  /** Runs the work after all earlier work. Never rejects. */
  #guarded(work: () => Promise<void>): Promise<void> {
    this.#working = this.#working.then(work).catch((error: unknown) => {
      this.#options.log.warn({ error: String(error) }, 'cannot record usage; the next attempt includes it');
    });
    return this.#working;
  }

  async #take(): Promise<Contribution> {
    const planes = await this.#options.planes.takeUsage();
    return { requests: this.requests.take(), planes };
  }

  async #contribute(): Promise<void> {
    if (!this.#options.store.isShared) return;
    await this.#contributions.write(await this.#take(), this.#options.clock.now());
  }

  /** Adds the usage since the last call to the stored usage. */
  async #record(leading: LeaderState, isLast = false): Promise<void> {
    const { store, clock } = this.#options;
    leading.assertCurrent();
    const others = store.isShared ? await this.#contributions.read() : { contributions: [], keys: [] };
    const own = await this.#take();
    // Hosts may be slow to respond, so the server does not ask them while it shuts down.
    const hosts = isLast ? new Map<string, HostUseIndex>() : await this.#readHosts();
    const now = clock.elapsed();
    const seconds = (now - leading.since) / 1000;
    leading.since = now;
    if (seconds > 0) {
      const interval = { seconds, contributions: [own, ...others.contributions], subjects: this.#subjects, hosts };
      await leading.recorder.add(interval);
    }
    await leading.recorder.flush(isLast);
    await removeKeys(store, others.keys, undefined);
  }

  async #readHosts(): Promise<ReadonlyMap<string, HostUseIndex>> {
    const { clock, connectionOf } = this.#options;
    const read = await Promise.all(
      this.#subjects.connectedClusters.map(async (cluster) => {
        const connection = connectionOf(cluster);
        if (connection === undefined) return [];
        const timeoutError = () => timedOut('the cluster did not report its use of resources in time');
        const reading = withTimeout({ clock, milliseconds: hostTimeoutMs, timeoutError }, (signal) =>
          readHostUse(connection, signal),
        );
        return await reading.then(
          (use) => [[cluster, new HostUseIndex(use)] as const],
          () => [],
        );
      }),
    );
    return new Map(read.flat());
  }

  #forget(subject: SubjectKey): void {
    this.#leading?.recorder.forget(subject);
    // Every server tries to remove the rows of the removed subject. Remaining rows have no effect, because no uid is
    // used twice. They are removed when they are too old.
    void removeSubject(this.#options.store, subject, this.#options.clock.now()).catch(() => {});
  }
}

/** The state that only the leader has. */
interface LeaderState {
  readonly recorder: UsageRecorder;
  assertCurrent(): void;
  /** The start of the current interval, on the monotonic clock. */
  since: number;
}
