import type { StatusError } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import type { HostLocation } from '../hosts/host.ts';
import type { Clock } from '../lib/clock.ts';
import type { GatewaySession } from './gateway-target.ts';
import type { ActivityLog } from './instance-activity.ts';
import { clusterNameOf, InstanceErrors, isForcedAsleep } from './instance-errors.ts';
import { InstanceSession } from './instance-session.ts';
import type { InstanceType, ProjectInstance } from './instance-type.ts';
import { recordUseRepeatedly, WakeCoalescer } from './wake-coalescer.ts';

/** The state of a virtual cluster on its host. */
export interface AccessStatus {
  readonly uid: string;
  /** The owner for whom the virtual cluster was created; empty if a user created it directly on the host. */
  readonly owner: string;
  /** `opening`: the virtual cluster is starting, for example after a sleep. `closing`: it is being removed. */
  readonly access: 'open' | 'opening' | 'asleep' | 'closing';
}

/** A request that opens a session in a virtual cluster. */
export interface SessionRequest {
  /** The name of the virtual cluster in error messages. */
  readonly name: string;
  /** Returns a signal that fires when the client no longer waits for the session. */
  abortSignal(): AbortSignal;
}

/** A token that may belong to a service account of a virtual cluster. */
export interface PresentedToken extends SessionRequest {
  readonly token: string;
  readonly uid: string;
  openSession(): Promise<GatewaySession>;
}

/** A cluster on which the gateway reaches virtual clusters. */
export interface GatewayCluster {
  /**
   * Returns the state of the virtual cluster at this location; `undefined` if there is none. Called for every request,
   * so it must use a cache instead of the network.
   */
  statusAt(location: HostLocation): AccessStatus | undefined | Promise<AccessStatus | undefined>;
  openSession(location: HostLocation, request: SessionRequest): Promise<GatewaySession>;
  wake(location: HostLocation, signal: AbortSignal): Promise<void>;
  /** Resolves when the virtual cluster is usable or has failed. Rejects if the signal fires first. */
  whenUsable(location: HostLocation, signal: AbortSignal): Promise<void>;
  /**
   * Returns the service account that the token authenticates in the virtual cluster with the given uid; `undefined` if
   * the token is invalid there. A token that is not known to be valid does not wake the virtual cluster.
   */
  authenticateServiceAccount(
    location: HostLocation,
    bearer: PresentedToken,
  ): Promise<AuthenticatedServiceAccount | undefined>;
}

/** A service account of a virtual cluster, authenticated by its token. */
export interface AuthenticatedServiceAccount {
  readonly identity: Identity;
  /**
   * The expiry of the token, in milliseconds since the epoch. If it is absent, the identity's own signal fires when the
   * token expires.
   */
  readonly expiresAt?: number;
}

export interface InstanceAccessOptions<Instance extends ProjectInstance> {
  readonly type: InstanceType<Instance>;
  /** Returns the cluster with this name; `undefined` if this server cannot reach it. */
  clusterOf(name: string): GatewayCluster | undefined;
  /** Returns the current version of the instance; `undefined` if it no longer exists. */
  latest(instance: Instance): Instance | undefined;
  readonly activity: ActivityLog;
  /**
   * True if auto-sleep put the instance to sleep because the instance was not used. False if a user put the instance to
   * sleep.
   */
  sleepsFromInactivity(instance: Instance): boolean;
  readonly clock: Clock;
}

/**
 * The times at which a session counts as a use of its instance. `brief`: at its start and at its end. `continuous`:
 * during the whole session. `none`: never; the session only displays the instance, and does not wake it or wait for it.
 */
export type SessionUse = 'brief' | 'continuous' | 'none';

export interface InstanceAccess<Instance extends ProjectInstance> {
  /**
   * Opens a session in the virtual cluster of an instance. Wakes the instance if that is allowed, and waits until it is
   * usable or the signal from `abortSignal` fires. Throws 501 or 503 if the instance cannot be used now. `use` defaults
   * to `brief`.
   */
  openSession(instance: Instance, abortSignal: () => AbortSignal, use?: SessionUse): Promise<GatewaySession>;
  /** Returns the service account that the token authenticates in the virtual cluster of the instance. */
  authenticateServiceAccount(
    instance: Instance,
    presented: Omit<PresentedToken, 'name' | 'uid'>,
  ): Promise<AuthenticatedServiceAccount | undefined>;
}

const timeoutPauseMs = 30_000;
const maxRecentTimeouts = 1_000;

/**
 * Gives the gateway access to the virtual clusters of instances. A virtual cluster at the location of an instance
 * belongs to that instance only if the controller has recorded its uid in the status of the instance.
 */
export function createInstanceAccess<Instance extends ProjectInstance>(
  options: InstanceAccessOptions<Instance>,
): InstanceAccess<Instance> {
  return new ClusterInstanceAccess(options);
}

class ClusterInstanceAccess<Instance extends ProjectInstance> implements InstanceAccess<Instance> {
  readonly #options: InstanceAccessOptions<Instance>;
  readonly #errors: InstanceErrors<Instance>;
  /** The time at which a request last timed out after it waited for an instance, by the uid of the instance. */
  readonly #recentTimeouts = new Map<string, number>();
  readonly #wakes: WakeCoalescer;

  constructor(options: InstanceAccessOptions<Instance>) {
    this.#options = options;
    this.#errors = new InstanceErrors(options.type);
    this.#wakes = new WakeCoalescer(options);
  }

  async openSession(
    instance: Instance,
    abortSignal: () => AbortSignal,
    use: SessionUse = 'brief',
  ): Promise<GatewaySession> {
    const options = this.#options;
    const cluster = options.clusterOf(clusterNameOf(instance));
    const accessError = this.#accessError(instance, cluster);
    if (accessError !== undefined || cluster === undefined) throw accessError ?? this.#errors.notReady(instance);
    const uid = instance.metadata.uid ?? '';
    // Record the use before the wake call. Otherwise auto-sleep could put the instance back to sleep immediately.
    if (use !== 'none') options.activity.recordUse(uid);
    const state = await this.#stateOf(instance, cluster);
    if (state === undefined) throw this.#errors.notReady(instance);
    if (state.access === 'closing') throw this.#errors.beingRemoved(instance);
    if (use === 'none' && state.access === 'asleep') throw this.#errors.asleepWhenViewed(instance);
    if (use === 'none' && state.access === 'opening') throw this.#errors.notReady(instance);
    if (state.access === 'asleep') {
      const mayWake = state.owner === uid || options.sleepsFromInactivity(instance);
      if (!mayWake || options.type.isExternal(instance)) throw this.#errors.asleepOnHost(instance);
      await this.#wake(instance, cluster, abortSignal());
    }
    if (state.access === 'opening') await this.#waitUntilOpen(instance, cluster, abortSignal());
    if (state.access !== 'open' && (await this.#stateOf(instance, cluster)) === undefined)
      throw this.#errors.notReady(instance);
    const session = await cluster.openSession(this.#options.type.locationOf(instance), {
      name: this.#errors.displayNameOf(instance),
      abortSignal,
    });
    const stopUsing = use === 'continuous' ? recordUseRepeatedly(options, uid) : () => {};
    return new InstanceSession(session, {
      endReason: (reason) => this.#endReason(instance, cluster, reason),
      onLeave: (wasEvicted) => {
        stopUsing();
        if (!wasEvicted && use !== 'none') void this.#recordFinalUse(instance, cluster);
      },
    });
  }

  async authenticateServiceAccount(
    instance: Instance,
    presented: Omit<PresentedToken, 'name' | 'uid'>,
  ): Promise<AuthenticatedServiceAccount | undefined> {
    const cluster = this.#options.clusterOf(clusterNameOf(instance));
    const uid = this.#options.type.uidOf(instance);
    if (cluster === undefined || uid === '') return undefined;
    return await cluster.authenticateServiceAccount(this.#options.type.locationOf(instance), {
      ...presented,
      name: this.#errors.displayNameOf(instance),
      uid,
    });
  }

  /** Wakes the instance. Concurrent requests for the same instance share one wake call. */
  #wake(instance: Instance, cluster: GatewayCluster, ending: AbortSignal): Promise<void> {
    return this.#wakes.wait(instance.metadata.uid ?? '', {
      work: async (signal) => {
        const location = this.#options.type.locationOf(instance);
        // Publish the use before waking: another replica may decide at this moment that the instance is unused.
        await this.#options.activity.publish?.(instance.metadata.uid ?? '');
        await cluster.wake(location, signal);
        await cluster.whenUsable(location, signal);
      },
      ending,
      timeoutError: () => this.#errors.wakingUp(instance),
    });
  }

  /**
   * Waits until an instance that is starting is usable. After a timeout, other requests for it fail immediately for the
   * next 30 seconds.
   */
  async #waitUntilOpen(instance: Instance, cluster: GatewayCluster, ending: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const timeouts = this.#recentTimeouts;
    const { uid = '' } = instance.metadata;
    const timeoutError = () => this.#errors.notReady(this.#options.latest(instance) ?? instance);
    if (clock.elapsed() - (timeouts.get(uid) ?? Number.NEGATIVE_INFINITY) < timeoutPauseMs) throw timeoutError();
    try {
      await this.#wakes.wait(uid, {
        work: (signal) => cluster.whenUsable(this.#options.type.locationOf(instance), signal),
        ending,
        timeoutError,
      });
      timeouts.delete(uid);
    } catch (error) {
      if (timeouts.size >= maxRecentTimeouts) timeouts.clear();
      if (!ending.aborted) timeouts.set(uid, clock.elapsed());
      throw error;
    }
  }

  /**
   * Records the end of a session as a use of the instance, unless the instance is asleep. A session may end because the
   * instance falls asleep, and recording that as a use would wake the instance again. The session itself does not
   * always know why it ends: if the pods stop before the host reports the sleep, the session sees only a closed
   * connection.
   */
  async #recordFinalUse(instance: Instance, cluster: GatewayCluster): Promise<void> {
    const { activity, clock } = this.#options;
    const now = clock.now();
    try {
      const state = await this.#stateOf(instance, cluster);
      if (state === undefined || state.access === 'asleep') return;
    } catch {
      // The cluster did not respond, so it is unknown whether the instance sleeps. Record the use.
    }
    activity.recordUse(instance.metadata.uid ?? '', now);
  }

  /**
   * Replaces the error that ends a session with an error that names the instance, because users know only the instance.
   */
  async #endReason(instance: Instance, cluster: GatewayCluster, reason: unknown): Promise<unknown> {
    const latest = this.#options.latest(instance);
    if (latest === undefined || latest.metadata.deletionTimestamp !== undefined)
      return this.#errors.beingRemoved(instance);
    const access = (await cluster.statusAt(this.#options.type.locationOf(instance)))?.access;
    return access === 'asleep'
      ? this.#errors.asleep(latest)
      : access === 'closing'
        ? this.#errors.beingRemoved(instance)
        : reason;
  }

  async #stateOf(instance: Instance, cluster: GatewayCluster): Promise<AccessStatus | undefined> {
    const { type } = this.#options;
    const state = await cluster.statusAt(type.locationOf(instance));
    return state !== undefined && state.uid === type.uidOf(instance) ? state : undefined;
  }

  #accessError(instance: Instance, cluster: GatewayCluster | undefined): StatusError | undefined {
    if (instance.metadata.deletionTimestamp !== undefined) return this.#errors.beingRemoved(instance);
    if (clusterNameOf(instance) !== '' && cluster === undefined) return this.#errors.unreachable(instance);
    if (isForcedAsleep(instance)) return this.#errors.asleep(instance);
    return this.#options.type.isInstalled(instance) ? undefined : this.#errors.notReady(instance);
  }
}
