import { MessageChannel } from 'node:worker_threads';
import { type StatusError, serviceUnavailable } from '../../api/status.ts';
import type { TokenKeys } from '../../controlplane/core/accounts/account-tokens.ts';
import { fencedStore } from '../../controlplane/fleet/fenced-store.ts';
import type { Fleet } from '../../controlplane/fleet/fleet.ts';
import type { TaskRunner } from '../../controlplane/maintenance/maintenance-task.ts';
import type { PlaneTarget } from '../../gateway/gateway-target.ts';
import type { HealthCheck } from '../../http/plane.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { StartThread, Thread } from '../../process/threads/thread.ts';
import { startWatchedThread, type ThreadEnd } from '../../process/threads/watched-thread.ts';
import type { MaintenanceWork } from '../../registry/write/maintenance-work.ts';
import { serveStore } from '../../store/port/serve-store.ts';
import { propertiesOf, type Store } from '../../store/store.ts';
import type { OpenedPlane, PlaneRunner } from '../plane-runner.ts';
import type { PlaneUsage } from '../plane-usage.ts';
import type { WorkMarks } from '../work-marks.ts';
import { KnownResources } from './known-resources.ts';
import type { PlaneThreadData } from './plane-thread.ts';
import { RemotePlanes, type RemotePlanesOptions } from './remote-planes.ts';
import { type SlowRequest, SlowRequests } from './slow-requests.ts';

/** The members of `PlaneThreadData` that are the same for all workers. */
export type SharedThreadData = Omit<
  PlaneThreadData,
  'planesPort' | 'storePort' | 'storeProperties' | 'activity' | 'healthChecks'
>;

/** Starts a thread with `runPlaneThread`. */
export type StartPlaneThread = StartThread<PlaneThreadData>;

export interface PlaneWorkersOptions {
  /** The number of worker threads. */
  readonly count: number;
  /** A worker that does not return to its event loop for this time is replaced. */
  readonly stallSeconds: number;
  readonly startThread: StartPlaneThread;
  readonly threadData: SharedThreadData;
  readonly store: Store;
  readonly fleet: Pick<Fleet, 'isBeingRemoved' | 'recordWrites'>;
  readonly tokens: TokenKeys;
  readonly healthChecks: readonly HealthCheck[];
  readonly clock: Clock;
  readonly log: Log;
  onMaintenance(work: MaintenanceWork): void;
  /** Returns the error for a plane that must not run; `undefined` if it may run. */
  refusalOf(planeId: string): StatusError | undefined;
  /** Called when a worker was replaced because of its work for a plane. */
  onIncident(incident: PlaneIncident): void;
  /** Records the planes for which workers do long work, durably. */
  readonly marks: Pick<WorkMarks, 'begin' | 'finish' | 'remove'>;
}

/** An unintended end of a worker or of the whole server. */
export interface PlaneIncident {
  /** The plane for which the worker last did work. Empty if it has done none. */
  readonly planeId: string;
  readonly cause: 'stalled' | 'failed' | 'interrupted';
  readonly message: string;
}

/**
 * Runs the planes of virtual clusters on worker threads. Each plane belongs to one worker as long as that worker lives.
 * A worker starts when one of its planes is first used. A worker that ends for any reason is replaced.
 */
export class PlaneWorkers implements PlaneRunner {
  readonly #options: PlaneWorkersOptions;
  readonly #slots: WorkerSlot[];
  /** The slot of each plane that was used since the start of the server. */
  readonly #slotByPlane = new Map<string, WorkerSlot>();
  readonly #resources = new KnownResources();
  readonly #slowRequests: SlowRequests;

  constructor(options: PlaneWorkersOptions) {
    this.#options = options;
    this.#slowRequests = new SlowRequests(options.clock);
    const shared: SharedState = { resources: this.#resources, credentials: new WeakMap() };
    this.#slots = Array.from({ length: options.count }, () => new WorkerSlot(options, shared));
  }

  get loaded(): { readonly planes: number; readonly bytes: number } {
    let planes = 0;
    let bytes = 0;
    for (const { loaded } of this.#slots) {
      planes += loaded.planes;
      bytes += loaded.bytes;
    }
    return { planes, bytes };
  }

  /** Starts all workers, so that the first requests to virtual clusters need not wait for them. */
  async start(): Promise<void> {
    for (const slot of this.#slots) await slot.planes();
  }

  async open(id: string): Promise<OpenedPlane | undefined> {
    if (this.#options.fleet.isBeingRemoved(id)) return undefined;
    this.#assertMayRun(id);
    return { target: this.#targetOf(id), release() {} };
  }

  /** Loads a plane on its worker. Rejects if it cannot be loaded. */
  async probe(id: string): Promise<void> {
    await (await this.#planesFor(id)).probe(id);
  }

  readonly runTask: TaskRunner = async (id, task, fence) => {
    if (this.#options.fleet.isBeingRemoved(id)) return undefined;
    return await (await this.#planesFor(id)).runTask(id, task, fence);
  };

  async takeUsage(): Promise<readonly PlaneUsage[]> {
    return (await Promise.all(this.#slots.map((slot) => slot.takeUsage()))).flat();
  }

  /** Closes a plane that is being removed, and waits for its last write. */
  async evict(id: string): Promise<void> {
    const slot = this.#slotByPlane.get(id);
    this.#slotByPlane.delete(id);
    if (slot === undefined) return;
    slot.planeCount -= 1;
    await slot.evict(id);
    this.#options.marks.remove(id);
  }

  /** Sets the shards whose planes stay in memory (`Fleet.preferShards`). */
  preferShards(shards: readonly string[]): void {
    for (const slot of this.#slots) slot.preferShards(shards);
  }

  async close(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.close()));
  }

  /**
   * Returns the worker of a plane. Throws if the plane must not run. Checks this before and after the start of the
   * worker, because a plane that is being removed must not be loaded again.
   */
  async #planesFor(id: string): Promise<RemotePlanes> {
    this.#assertMayRun(id);
    const planes = await this.#slotOf(id).planes();
    this.#assertMayRun(id);
    return planes;
  }

  #assertMayRun(id: string): void {
    if (this.#options.fleet.isBeingRemoved(id)) throw serviceUnavailable('the virtual cluster is being removed');
    const refusal = this.#options.refusalOf(id);
    if (refusal !== undefined) throw refusal;
  }

  #slotOf(id: string): WorkerSlot {
    const known = this.#slotByPlane.get(id);
    if (known !== undefined) return known;
    const slot = this.#slots.reduce((least, each) => (each.planeCount < least.planeCount ? each : least));
    slot.planeCount += 1;
    this.#slotByPlane.set(id, slot);
    return slot;
  }

  #targetOf(id: string): PlaneTarget {
    const target = async (): Promise<PlaneTarget> => (await this.#planesFor(id)).targetOf(id);
    const limited = async <T>(request: SlowRequest, call: (target: PlaneTarget) => T | Promise<T>): Promise<T> => {
      const end = this.#slowRequests.begin(id, request);
      try {
        return await call(await target());
      } finally {
        end();
      }
    };
    return {
      plane: this.#resources,
      authorize: async (identity, attributes) =>
        // Only an impersonation check asks the worker here. The worker makes all other checks when it serves the
        // request.
        attributes.verb === 'impersonate'
          ? await limited({ identity }, (plane) => plane.authorize(identity, attributes))
          : await (await target()).authorize(identity, attributes),
      serve: (exchange) => limited(exchange, (plane) => plane.serve(exchange)),
      authenticate: (token) => limited({}, (plane) => plane.authenticate(token)),
    };
  }
}

/** The state that the main thread keeps for the planes of all workers. */
type SharedState = Pick<RemotePlanesOptions, 'resources' | 'credentials'>;

interface RunningWorker {
  readonly planes: RemotePlanes;
  readonly thread: Thread;
  /** Resolves after the thread has ended. */
  readonly hasEnded: Promise<void>;
}

/** The slot of one worker. At most one worker runs in it at a time. */
class WorkerSlot {
  /** The number of planes that belong to this slot. */
  planeCount = 0;
  readonly #options: PlaneWorkersOptions;
  readonly #shared: SharedState;
  #running: RunningWorker | undefined;
  /**
   * Resolves when the writes of the previous worker have ended. After that, the next worker may load the planes of the
   * previous worker.
   */
  #previous: Promise<void> = Promise.resolve();
  #isClosed = false;
  #preferredShards: readonly string[] | undefined;

  constructor(options: PlaneWorkersOptions, shared: SharedState) {
    this.#options = options;
    this.#shared = shared;
  }

  get loaded(): { readonly planes: number; readonly bytes: number } {
    return this.#running?.planes.loaded ?? { planes: 0, bytes: 0 };
  }

  /** Returns the planes of the running worker. Starts a worker if there is none. */
  async planes(): Promise<RemotePlanes> {
    while (this.#running === undefined || this.#running.planes.isClosed) {
      await this.#running?.hasEnded;
      await this.#previous;
      if (this.#isClosed) throw serviceUnavailable('the server is shutting down', 1);
      this.#running ??= this.#start();
    }
    return this.#running.planes;
  }

  preferShards(shards: readonly string[]): void {
    this.#preferredShards = shards;
    this.#running?.planes.preferShards(shards);
  }

  /**
   * Returns the usage of the planes of the running worker. Returns an empty list if there is no worker, or if it has
   * just ended.
   */
  async takeUsage(): Promise<readonly PlaneUsage[]> {
    const running = this.#running;
    if (running === undefined) return [];
    return await running.planes.takeUsage().catch((error: unknown) => {
      if (running.planes.isClosed) return [];
      throw error;
    });
  }

  async evict(id: string): Promise<void> {
    const running = this.#running;
    try {
      await running?.planes.evict(id);
    } catch (error) {
      if (running?.planes.isClosed !== true) throw error;
      await running.hasEnded;
    }
    // Wait for the last writes of a worker that has ended: its planes are no longer loaded, but the writes may still be
    // in progress.
    await this.#previous;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running?.thread.terminate();
    await this.#previous;
  }

  #start(): RunningWorker {
    const { store, fleet, threadData, healthChecks, tokens, log, startThread, stallSeconds } = this.#options;
    const planesChannel = new MessageChannel();
    const storeChannel = new MessageChannel();
    const fence = fencedStore(store, (transaction) => fleet.recordWrites(transaction));
    const stopServing = serveStore(fence.store, storeChannel.port1);
    const planes = new RemotePlanes({
      ...this.#shared,
      port: planesChannel.port1,
      tokens,
      healthChecks,
      bodyBytes: threadData.bodyBytes,
      log,
      onMaintenance: (work) => this.#options.onMaintenance(work),
    });
    if (this.#preferredShards !== undefined) planes.preferShards(this.#preferredShards);
    let onEnded = () => {};
    const hasEnded = new Promise<void>((resolve) => {
      onEnded = resolve;
    });
    const { marks } = this.#options;
    let markedPlane = '';
    const removeMark = () => {
      if (markedPlane !== '') marks.finish(markedPlane);
      markedPlane = '';
    };
    const thread = startWatchedThread({
      startThread,
      createData: (activity) => ({
        ...threadData,
        planesPort: planesChannel.port2,
        storePort: storeChannel.port2,
        storeProperties: propertiesOf(store),
        activity,
        healthChecks: healthChecks.map(({ name, on }) => ({ name, on })),
      }),
      ports: [planesChannel.port2, storeChannel.port2],
      stallSeconds,
      onBusy(task) {
        markedPlane = task;
        if (task !== '') marks.begin(task);
      },
      onReturn: removeMark,
      onEnd: (end) => {
        removeMark();
        stopServing();
        planes.close();
        this.#running = undefined;
        this.#previous = fence.closeWrites();
        onEnded();
        if (!this.#isClosed) this.#report(end);
      },
    });
    return { planes, thread, hasEnded };
  }

  #report({ isStalled, error, task }: ThreadEnd): void {
    const message = isStalled
      ? `the worker did not return to its event loop for ${this.#options.stallSeconds} seconds`
      : String(error ?? 'the worker ended');
    this.#options.onIncident({ planeId: task, cause: isStalled ? 'stalled' : 'failed', message });
  }
}
