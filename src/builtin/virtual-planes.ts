import { hostOwnerLabel } from '../api/naming.ts';
import { type FieldsOf, groupResourceOf } from '../api/resource.ts';
import { notFound, type StatusError, serviceUnavailable } from '../api/status.ts';
import {
  isReadyForRemoval,
  isVirtualClusterSleeping,
  planeIdOf,
  quarantineError,
  type VirtualCluster,
  virtualClusterKind,
} from '../api/storage/virtual-cluster.ts';
import type { PlaneSession } from '../gateway/gateway-target.ts';
import { onAbort } from '../http/request/request-end.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { PlaneLocations } from './plane-locations.ts';
import type { OpenedPlane } from './plane-runner.ts';

/** The namespace and name of a virtual cluster in the built-in cluster. */
export interface VirtualClusterLocation {
  readonly namespace: string;
  readonly name: string;
}

/** The part of a virtual cluster's status that the gateway needs to decide about access. */
export interface VirtualClusterAccessStatus {
  readonly uid: string;
  readonly planeId: string;
  /**
   * The owner for whom the virtual cluster was created. Empty if a user created it directly on the built-in cluster.
   */
  readonly owner: string;
  readonly access: 'open' | 'asleep' | 'closing';
}

export interface VirtualPlanes {
  /** Opens a gateway session. Throws 404 if there is no virtual cluster, and 503 if it sleeps or is being removed. */
  enter(location: VirtualClusterLocation): Promise<PlaneSession>;
  /**
   * Returns the status of the virtual cluster at the location, even if the virtual cluster cannot be used; `undefined`
   * if there is none.
   */
  statusAt(location: VirtualClusterLocation): VirtualClusterAccessStatus | undefined;
  /**
   * Resolves as soon as the virtual cluster at the location is awake. Also resolves if the virtual cluster is
   * quarantined; `enter` then throws the reason. Rejects if the signal fires first.
   */
  whenUsable(location: VirtualClusterLocation, signal: AbortSignal): Promise<void>;
  /** Returns the virtual cluster that runs in this plane; `undefined` if there is none. */
  virtualClusterOf(planeId: string): VirtualCluster | undefined;
  /** Returns the plane ID of the virtual cluster at the location; `undefined` if there is none or it cannot be used. */
  planeIdAt(location: VirtualClusterLocation): string | undefined;
  close(): void;
}

export interface VirtualPlanesOptions {
  /** The VirtualCluster objects of the built-in cluster. */
  readonly virtualClusters: Pick<KindStore<FieldsOf<typeof virtualClusterKind>>, 'peek' | 'peekAll' | 'listen'>;
  /**
   * Opens a session. The implementation must pin the plane before its first await. Otherwise, the plane could be
   * removed during the session.
   */
  openSession(planeId: string, name: string): Promise<OpenedPlane>;
}

/** The open sessions of each plane. A signal ends all sessions of a plane together. */
class SessionsByPlane {
  readonly #open = new Map<string, { readonly end: AbortController; count: number }>();

  /** Counts a new session until it is released. */
  start(planeId: string): { readonly signal: AbortSignal; release(): void } {
    const sessions = this.#open.get(planeId) ?? { end: new AbortController(), count: 0 };
    this.#open.set(planeId, sessions);
    sessions.count += 1;
    return {
      signal: sessions.end.signal,
      release: () => {
        sessions.count -= 1;
        if (sessions.count === 0 && this.#open.get(planeId) === sessions) this.#open.delete(planeId);
      },
    };
  }

  /** Ends all open sessions of a plane. Sessions that start later use a new signal. */
  end(planeId: string, reason: StatusError): void {
    const sessions = this.#open.get(planeId);
    this.#open.delete(planeId);
    sessions?.end.abort(reason);
  }
}

/**
 * Opens gateway sessions in the planes of virtual clusters. The VirtualCluster object determines whether its plane can
 * be used. When a virtual cluster is put to sleep or is removed, the open streams in its plane end, and later requests
 * fail with an error that states the reason.
 */
export function openVirtualPlanes(options: VirtualPlanesOptions): VirtualPlanes {
  const { virtualClusters } = options;
  const sessions = new SessionsByPlane();
  const locations = new PlaneLocations(virtualClusters);

  const stop = virtualClusters.listen(({ before, after }) => {
    const object = after?.object ?? before?.object;
    if (object === undefined) return;
    if (before === undefined) locations.add(object);
    if (after === undefined) locations.remove(object);
    const unavailable = after === undefined ? deletedError(object) : unavailableError(object);
    if (unavailable !== undefined) sessions.end(planeIdOf(object), unavailable);
  });

  return {
    async enter({ namespace, name }) {
      const object = virtualClusters.peek(namespace, name)?.object;
      if (object === undefined) throw notFound(groupResourceOf(virtualClusterKind), name);
      const unavailable = unavailableError(object);
      if (unavailable !== undefined) throw unavailable;
      const planeId = planeIdOf(object);
      locations.add(object);
      // There is no await between the check above and this call, which pins the plane. Therefore the plane cannot be
      // removed between the check and the end of the session.
      const opening = options.openSession(planeId, name);
      const session = sessions.start(planeId);
      try {
        const { target, release } = await opening;
        let isClosed = false;
        return {
          target,
          signal: session.signal,
          close() {
            if (isClosed) return;
            isClosed = true;
            session.release();
            release();
          },
        };
      } catch (error) {
        session.release();
        throw error;
      }
    },

    statusAt({ namespace, name }) {
      const object = virtualClusters.peek(namespace, name)?.object;
      if (object === undefined) return undefined;
      return {
        uid: object.metadata.uid ?? '',
        planeId: planeIdOf(object),
        owner: object.metadata.labels?.[hostOwnerLabel] ?? '',
        access: isReadyForRemoval(object) ? 'closing' : isVirtualClusterSleeping(object) ? 'asleep' : 'open',
      };
    },

    whenUsable({ namespace, name }, signal) {
      const isUsable = () => {
        const object = virtualClusters.peek(namespace, name)?.object;
        return object !== undefined && !isReadyForRemoval(object) && !isVirtualClusterSleeping(object);
      };
      if (isUsable()) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const unsubscribe = virtualClusters.listen(() => {
          if (!isUsable()) return;
          cleanUp();
          resolve();
        });
        const leaveSignal = onAbort(signal, (reason) => {
          cleanUp();
          reject(reason);
        });
        const cleanUp = () => {
          unsubscribe();
          leaveSignal();
        };
      });
    },

    virtualClusterOf: (planeId) => locations.find(planeId),

    planeIdAt({ namespace, name }) {
      const object = virtualClusters.peek(namespace, name)?.object;
      return object === undefined || unavailableError(object) !== undefined ? undefined : planeIdOf(object);
    },

    close: stop,
  };
}

function unavailableError(object: VirtualCluster): StatusError | undefined {
  const name = JSON.stringify(object.metadata.name ?? '');
  if (isReadyForRemoval(object)) return serviceUnavailable(`the virtual cluster ${name} is being removed`);
  if (!isVirtualClusterSleeping(object)) return quarantineError(object);
  return serviceUnavailable(
    `the virtual cluster ${name} is asleep; to wake it, set spec.asleep of its ${virtualClusterKind.kind} to false (its data is kept)`,
  );
}

function deletedError({ metadata }: VirtualCluster): StatusError {
  return notFound(groupResourceOf(virtualClusterKind), metadata.name ?? '');
}
