import type { VirtualClusterInstance } from '../api/management/v1/virtual-cluster-instance.ts';
import type { StatusError } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import type { HostLocation } from '../hosts/host.ts';
import type { Clock } from '../lib/clock.ts';
import type { GatewaySession } from './gateway-target.ts';
import type { ActivityLog } from './instance-activity.ts';
import {
  asleepError,
  asleepOnHostError,
  beingRemovedError,
  clusterNameOf,
  displayNameOf,
  isForcedAsleep,
  locationOf,
  notReadyError,
  unreachableError,
  wakingUpError,
} from './instance-errors.ts';
import { InstanceSession } from './instance-session.ts';
import { recordUseRepeatedly, WakeCoalescer } from './wake-coalescer.ts';

/** The state of a virtual cluster on its host. */
export interface AccessStatus {
  readonly uid: string;
  /** The owner that the virtual cluster was created for; empty if a user created it directly on the host. */
  readonly owner: string;
  /** `opening` while the virtual cluster starts, for example after a sleep. */
  readonly access: 'open' | 'opening' | 'asleep' | 'closing';
}

/** A request for a session in a virtual cluster. */
export interface SessionRequest {
  /** The name of the virtual cluster in messages. */
  readonly name: string;
  /** Fires when the request no longer waits. */
  abortSignal(): AbortSignal;
}

/** A token to authenticate, and the function that opens a session if it is valid. */
export interface PresentedToken extends SessionRequest {
  readonly token: string;
  readonly uid: string;
  openSession(): Promise<GatewaySession>;
}

/** A cluster whose virtual clusters the gateway serves. */
export interface GatewayCluster {
  /** `undefined` if there is none. Called for every request, so it must not cause network traffic. */
  statusAt(place: HostLocation): AccessStatus | undefined | Promise<AccessStatus | undefined>;
  openSession(place: HostLocation, visitor: SessionRequest): Promise<GatewaySession>;
  wake(place: HostLocation, signal: AbortSignal): Promise<void>;
  /** Resolves when the virtual cluster can be used or has failed. Rejects if the signal fires first. */
  whenUsable(place: HostLocation, signal: AbortSignal): Promise<void>;
  /**
   * Returns the service account of the virtual cluster with this uid that the token stands for, or `undefined`. Does
   * not wake anything before the token is known to be valid.
   */
  authenticateServiceAccount(
    place: HostLocation,
    bearer: PresentedToken,
  ): Promise<AuthenticatedServiceAccount | undefined>;
}

/** A service account of a virtual cluster that a token authenticates. */
export interface AuthenticatedServiceAccount {
  readonly identity: Identity;
  /**
   * The expiry of the token, in milliseconds since the epoch. Optional; without it the identity's signal fires at its
   * end.
   */
  readonly expiresAt?: number;
}

export interface InstanceAccessOptions {
  /** `undefined` if this server cannot reach that cluster. */
  clusterOf(name: string): GatewayCluster | undefined;
  /** The current version of the instance. `undefined` if it no longer exists. */
  latest(instance: VirtualClusterInstance): VirtualClusterInstance | undefined;
  readonly activity: ActivityLog;
  /** True if the instance sleeps because of inactivity and not on request. */
  sleepsFromInactivity(instance: VirtualClusterInstance): boolean;
  readonly clock: Clock;
}

export interface InstanceAccess {
  /**
   * Opens a session. Wakes the instance if that is allowed, and waits for it until the signal of `ending` fires. Throws
   * 501 or 503 if the instance cannot be used now. With `isSession`, the instance counts as in use for the whole
   * session and not only at its start and end.
   */
  openSession(
    instance: VirtualClusterInstance,
    ending: () => AbortSignal,
    isSession?: boolean,
  ): Promise<GatewaySession>;
  /** Returns the service account of the instance's own virtual cluster that the token stands for. */
  authenticateServiceAccount(
    instance: VirtualClusterInstance,
    bearer: Omit<PresentedToken, 'name' | 'uid'>,
  ): Promise<AuthenticatedServiceAccount | undefined>;
}

const timeoutPauseMs = 30_000;
const maxRecentTimeouts = 1_000;

/**
 * Gives access to the virtual clusters of instances. The virtual cluster at an instance's location belongs to it only
 * if the controller, which verified that, has recorded its uid.
 */
export function createInstanceAccess(options: InstanceAccessOptions): InstanceAccess {
  return new ClusterInstanceAccess(options);
}

class ClusterInstanceAccess implements InstanceAccess {
  readonly #options: InstanceAccessOptions;
  /** The time of the last timeout of a request that waited for an instance, by the uid of the instance. */
  readonly #recentTimeouts = new Map<string, number>();
  readonly #wakes: WakeCoalescer;

  constructor(options: InstanceAccessOptions) {
    this.#options = options;
    this.#wakes = new WakeCoalescer(options);
  }

  async openSession(
    instance: VirtualClusterInstance,
    ending: () => AbortSignal,
    isSession = false,
  ): Promise<GatewaySession> {
    const options = this.#options;
    const cluster = options.clusterOf(clusterNameOf(instance));
    const accessError = accessErrorOf(instance, cluster);
    if (accessError !== undefined || cluster === undefined) throw accessError ?? notReadyError(instance);
    const uid = instance.metadata.uid ?? '';
    // Recorded before the wake call, so that auto-sleep sees the use and does not put the instance back to sleep.
    options.activity.recordUse(uid);
    const state = await stateOf(instance, cluster);
    if (state === undefined) throw notReadyError(instance);
    if (state.access === 'closing') throw beingRemovedError(instance);
    if (state.access === 'asleep') {
      const mayWake = state.owner === uid || options.sleepsFromInactivity(instance);
      if (!mayWake || instance.spec?.external === true) throw asleepOnHostError(instance);
      await this.#wake(instance, cluster, ending());
    }
    if (state.access === 'opening') await this.#waitUntilOpen(instance, cluster, ending());
    if (state.access !== 'open' && (await stateOf(instance, cluster)) === undefined) throw notReadyError(instance);
    const session = await cluster.openSession(locationOf(instance), {
      name: displayNameOf(instance),
      abortSignal: ending,
    });
    const stopUsing = isSession ? recordUseRepeatedly(options, uid) : () => {};
    return new InstanceSession(session, {
      endReason: (reason) => this.#endReason(instance, cluster, reason),
      onLeave: (wasEvicted) => {
        stopUsing();
        if (!wasEvicted) void this.#recordFinalUse(instance, cluster);
      },
    });
  }

  async authenticateServiceAccount(
    instance: VirtualClusterInstance,
    bearer: Omit<PresentedToken, 'name' | 'uid'>,
  ): Promise<AuthenticatedServiceAccount | undefined> {
    const cluster = this.#options.clusterOf(clusterNameOf(instance));
    const uid = instance.status?.serviceUID ?? '';
    if (cluster === undefined || uid === '') return undefined;
    return await cluster.authenticateServiceAccount(locationOf(instance), {
      ...bearer,
      name: displayNameOf(instance),
      uid,
    });
  }

  /** Concurrent requests share one wake call. */
  #wake(instance: VirtualClusterInstance, cluster: GatewayCluster, ending: AbortSignal): Promise<void> {
    return this.#wakes.wait(instance.metadata.uid ?? '', {
      async work(signal) {
        const place = locationOf(instance);
        await cluster.wake(place, signal);
        await cluster.whenUsable(place, signal);
      },
      ending,
      late: () => wakingUpError(instance),
    });
  }

  /** Waits for an instance that is already starting. After a timeout, later requests fail immediately for a while. */
  async #waitUntilOpen(instance: VirtualClusterInstance, cluster: GatewayCluster, ending: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const timeouts = this.#recentTimeouts;
    const { uid = '' } = instance.metadata;
    const late = () => notReadyError(this.#options.latest(instance) ?? instance);
    if (clock.elapsed() - (timeouts.get(uid) ?? Number.NEGATIVE_INFINITY) < timeoutPauseMs) throw late();
    try {
      await this.#wakes.wait(uid, { work: (signal) => cluster.whenUsable(locationOf(instance), signal), ending, late });
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
      if (state === undefined || state.access === 'asleep') return;
    } catch {
      // If the cluster does not respond, the use still counts.
    }
    activity.recordUse(instance.metadata.uid ?? '', now);
  }

  /** Translates the reason why a session ends into a message about the instance, which is what users know. */
  async #endReason(instance: VirtualClusterInstance, cluster: GatewayCluster, reason: unknown): Promise<unknown> {
    const latest = this.#options.latest(instance);
    if (latest === undefined || latest.metadata.deletionTimestamp !== undefined) return beingRemovedError(instance);
    const access = (await cluster.statusAt(locationOf(instance)))?.access;
    return access === 'asleep' ? asleepError(latest) : access === 'closing' ? beingRemovedError(instance) : reason;
  }
}

async function stateOf(instance: VirtualClusterInstance, cluster: GatewayCluster): Promise<AccessStatus | undefined> {
  const state = await cluster.statusAt(locationOf(instance));
  return state !== undefined && state.uid === (instance.status?.serviceUID ?? '') ? state : undefined;
}

function accessErrorOf(instance: VirtualClusterInstance, cluster: GatewayCluster | undefined): StatusError | undefined {
  if (instance.metadata.deletionTimestamp !== undefined) return beingRemovedError(instance);
  if (clusterNameOf(instance) !== '' && cluster === undefined) return unreachableError(instance);
  if (isForcedAsleep(instance)) return asleepError(instance);
  return isInstalled(instance) ? undefined : notReadyError(instance);
}

/** Before this point the roles inside are unknown. An instance that failed later can be entered, for repair. */
function isInstalled({ spec, status = {} }: VirtualClusterInstance): boolean {
  const { serviceUID = '', virtualCluster, deployHash = '', phase } = status;
  if (serviceUID === '') return false;
  const hasTemplate = (spec?.templateRef?.name ?? '') !== '' || spec?.template !== undefined;
  if (hasTemplate && virtualCluster === undefined) return false;
  return deployHash !== '' || phase === 'Failed';
}
