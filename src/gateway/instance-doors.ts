import type { VirtualClusterInstance } from '../api/management/v1/virtual-cluster-instance.ts';
import type { StatusError } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import type { HostPlace } from '../hosts/host.ts';
import type { Clock } from '../lib/clock.ts';
import type { Visit } from './inside.ts';
import type { ActivityLog } from './instance-activity.ts';
import { InstanceSession } from './instance-session.ts';
import {
  asleep,
  asleepElsewhere,
  beingRemoved,
  beingWoken,
  clusterOf,
  isForcedAsleep,
  nameOf,
  notReady,
  outOfReach,
  placeOf,
} from './instance-words.ts';
import { goOnUsing, Wakings } from './wakings.ts';

/** The state of a virtual cluster on its host. */
export interface Standing {
  readonly uid: string;
  /** The owner that it was created for; empty for one that was created manually. */
  readonly owner: string;
  /** `opening`: it is starting, for example after a sleep. */
  readonly door: 'open' | 'opening' | 'asleep' | 'closing';
}

/** A request for a session in a virtual cluster. */
export interface Visitor {
  /** The name of the virtual cluster in messages. */
  readonly name: string;
  /** Fires when the request no longer waits. */
  ending(): AbortSignal;
}

/** A token to authenticate, and the function that opens a session if it is valid. */
export interface TokenBearer extends Visitor {
  readonly token: string;
  readonly uid: string;
  enter(): Promise<Visit>;
}

/** A cluster whose virtual clusters the gateway serves. */
export interface GatewayCluster {
  /** `undefined` if there is none. Called for every request, so it must not cause network traffic. */
  at(place: HostPlace): Standing | undefined | Promise<Standing | undefined>;
  enter(place: HostPlace, visitor: Visitor): Promise<Visit>;
  wake(place: HostPlace, signal: AbortSignal): Promise<void>;
  /** Resolves when the virtual cluster can be used or has failed. Rejects if the signal fires first. */
  opened(place: HostPlace, signal: AbortSignal): Promise<void>;
  /**
   * Returns the service account of the virtual cluster with this uid that the token stands for, or `undefined`. Does
   * not wake anything before the token is known to be valid.
   */
  account(place: HostPlace, bearer: TokenBearer): Promise<AccountInside | undefined>;
}

/** A service account of a virtual cluster that a token authenticates. */
export interface AccountInside {
  readonly identity: Identity;
  /**
   * The expiry of the token, in milliseconds since the epoch. Optional; without it the identity's signal fires at its
   * end.
   */
  readonly ends?: number;
}

export interface InstanceDoorsOptions {
  /** `undefined` if this server cannot reach that cluster. */
  clusterOf(name: string): GatewayCluster | undefined;
  /** The current version of the instance. `undefined` if it no longer exists. */
  latest(instance: VirtualClusterInstance): VirtualClusterInstance | undefined;
  readonly activity: ActivityLog;
  /** True if the instance sleeps because of inactivity and not on request. */
  restsUnused(instance: VirtualClusterInstance): boolean;
  readonly clock: Clock;
}

export interface InstanceDoors {
  /**
   * Opens a session. Wakes the instance if that is allowed, and waits for it until the signal of `ending` fires. Throws
   * 501 or 503 if the instance cannot be used now. With `isSession`, the instance counts as in use for the whole
   * session and not only at its start and end.
   */
  enter(instance: VirtualClusterInstance, ending: () => AbortSignal, isSession?: boolean): Promise<Visit>;
  /** Returns the service account of the instance's own virtual cluster that the token stands for. */
  account(
    instance: VirtualClusterInstance,
    bearer: Omit<TokenBearer, 'name' | 'uid'>,
  ): Promise<AccountInside | undefined>;
}

const timeoutPauseMs = 30_000;
const maxRecentTimeouts = 1_000;

/**
 * Gives access to the virtual clusters of instances. The virtual cluster at an instance's location belongs to it only
 * if the controller, which verified that, has recorded its uid.
 */
export function instanceDoors(options: InstanceDoorsOptions): InstanceDoors {
  return new ClusterInstanceAccess(options);
}

class ClusterInstanceAccess implements InstanceDoors {
  readonly #options: InstanceDoorsOptions;
  /** The time of the last timeout of a request that waited for an instance, by the uid of the instance. */
  readonly #recentTimeouts = new Map<string, number>();
  readonly #wakes: Wakings;

  constructor(options: InstanceDoorsOptions) {
    this.#options = options;
    this.#wakes = new Wakings(options);
  }

  async enter(instance: VirtualClusterInstance, ending: () => AbortSignal, isSession = false): Promise<Visit> {
    const options = this.#options;
    const cluster = options.clusterOf(clusterOf(instance));
    const accessError = accessErrorOf(instance, cluster);
    if (accessError !== undefined || cluster === undefined) throw accessError ?? notReady(instance);
    const uid = instance.metadata.uid ?? '';
    // Recorded before the wake call, so that auto-sleep sees the use and does not put the instance back to sleep.
    options.activity.used(uid);
    const state = await stateOf(instance, cluster);
    if (state === undefined) throw notReady(instance);
    if (state.door === 'closing') throw beingRemoved(instance);
    if (state.door === 'asleep') {
      const mayWake = state.owner === uid || options.restsUnused(instance);
      if (!mayWake || instance.spec?.external === true) throw asleepElsewhere(instance);
      await this.#wake(instance, cluster, ending());
    }
    if (state.door === 'opening') await this.#waitUntilOpen(instance, cluster, ending());
    if (state.door !== 'open' && (await stateOf(instance, cluster)) === undefined) throw notReady(instance);
    const session = await cluster.enter(placeOf(instance), { name: nameOf(instance), ending });
    const stopUsing = isSession ? goOnUsing(options, uid) : () => {};
    return new InstanceSession(session, {
      endReason: (reason) => this.#endReason(instance, cluster, reason),
      onLeave: (wasEvicted) => {
        stopUsing();
        if (!wasEvicted) void this.#recordFinalUse(instance, cluster);
      },
    });
  }

  async account(
    instance: VirtualClusterInstance,
    bearer: Omit<TokenBearer, 'name' | 'uid'>,
  ): Promise<AccountInside | undefined> {
    const cluster = this.#options.clusterOf(clusterOf(instance));
    const uid = instance.status?.serviceUID ?? '';
    if (cluster === undefined || uid === '') return undefined;
    return await cluster.account(placeOf(instance), { ...bearer, name: nameOf(instance), uid });
  }

  /** Concurrent requests share one wake call. */
  #wake(instance: VirtualClusterInstance, cluster: GatewayCluster, ending: AbortSignal): Promise<void> {
    return this.#wakes.wait(instance.metadata.uid ?? '', {
      async work(signal) {
        const place = placeOf(instance);
        await cluster.wake(place, signal);
        await cluster.opened(place, signal);
      },
      ending,
      late: () => beingWoken(instance),
    });
  }

  /** Waits for an instance that is already starting. After a timeout, later requests fail immediately for a while. */
  async #waitUntilOpen(instance: VirtualClusterInstance, cluster: GatewayCluster, ending: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const timeouts = this.#recentTimeouts;
    const { uid = '' } = instance.metadata;
    const late = () => notReady(this.#options.latest(instance) ?? instance);
    if (clock.elapsed() - (timeouts.get(uid) ?? Number.NEGATIVE_INFINITY) < timeoutPauseMs) throw late();
    try {
      await this.#wakes.wait(uid, { work: (signal) => cluster.opened(placeOf(instance), signal), ending, late });
      timeouts.delete(uid);
    } catch (error) {
      if (timeouts.size >= maxRecentTimeouts) timeouts.clear();
      if (!ending.aborted) timeouts.set(uid, clock.elapsed());
      throw error;
    }
  }

  /**
   * Records the end of a session as a use, unless the instance is asleep: a session that ends because the instance
   * falls asleep would otherwise wake it again. If its pods are gone before the sleep is reported, the session just
   * sees a connection that ends.
   */
  async #recordFinalUse(instance: VirtualClusterInstance, cluster: GatewayCluster): Promise<void> {
    const { activity, clock } = this.#options;
    const now = clock.now();
    try {
      const state = await stateOf(instance, cluster);
      if (state === undefined || state.door === 'asleep') return;
    } catch {
      // If the cluster does not respond, the use still counts.
    }
    activity.used(instance.metadata.uid ?? '', now);
  }

  /** Translates the reason why a session ends into a message about the instance, which is what users know. */
  async #endReason(instance: VirtualClusterInstance, cluster: GatewayCluster, reason: unknown): Promise<unknown> {
    const latest = this.#options.latest(instance);
    if (latest === undefined || latest.metadata.deletionTimestamp !== undefined) return beingRemoved(instance);
    const access = (await cluster.at(placeOf(instance)))?.door;
    return access === 'asleep' ? asleep(latest) : access === 'closing' ? beingRemoved(instance) : reason;
  }
}

async function stateOf(instance: VirtualClusterInstance, cluster: GatewayCluster): Promise<Standing | undefined> {
  const state = await cluster.at(placeOf(instance));
  return state !== undefined && state.uid === (instance.status?.serviceUID ?? '') ? state : undefined;
}

function accessErrorOf(instance: VirtualClusterInstance, cluster: GatewayCluster | undefined): StatusError | undefined {
  if (instance.metadata.deletionTimestamp !== undefined) return beingRemoved(instance);
  if (clusterOf(instance) !== '' && cluster === undefined) return outOfReach(instance);
  if (isForcedAsleep(instance)) return asleep(instance);
  return isInstalled(instance) ? undefined : notReady(instance);
}

/** Before this point the roles inside are unknown. An instance that failed later can be entered, for repair. */
function isInstalled({ spec, status = {} }: VirtualClusterInstance): boolean {
  const { serviceUID = '', virtualCluster, deployHash = '', phase } = status;
  if (serviceUID === '') return false;
  const hasTemplate = (spec?.templateRef?.name ?? '') !== '' || spec?.template !== undefined;
  if (hasTemplate && virtualCluster === undefined) return false;
  return deployHash !== '' || phase === 'Failed';
}
