import type { KubeObject } from '../api/meta.ts';
import { hostOwnerLabel } from '../api/naming.ts';
import { groupResourceOf } from '../api/resource.ts';
import { notFound, type StatusError, serviceUnavailable } from '../api/status.ts';
import { isAsleep, isBeingRemoved, planeIdOf, virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import type { PlaneVisit } from '../gateway/inside.ts';
import { followSignal } from '../http/request-end.ts';
import type { KindStore } from '../registry/kind-store.ts';

/** Where a virtual cluster stands in the built-in cluster. */
export interface VirtualClusterPlace {
  readonly namespace: string;
  readonly name: string;
}

/** A virtual cluster as somebody finds it who wants to enter. */
export interface StandingVirtualCluster {
  readonly uid: string;
  readonly planeId: string;
  /** Whom it was made for; '' for one that was made by hand. */
  readonly owner: string;
  readonly door: 'open' | 'asleep' | 'closing';
}

export interface VirtualPlanes {
  /** Throws 404 and 503 for a virtual cluster that nobody can enter now. */
  enter(place: VirtualClusterPlace): Promise<PlaneVisit>;
  /** What stands there, whether somebody can enter it or not. */
  at(place: VirtualClusterPlace): StandingVirtualCluster | undefined;
  /** Settles when somebody can enter what stands there; rejects when the signal fires before. */
  opened(place: VirtualClusterPlace, signal: AbortSignal): Promise<void>;
  /** The plane of the virtual cluster that is there; undefined: nobody can enter one there. */
  planeIdAt(place: VirtualClusterPlace): string | undefined;
  close(): void;
}

export interface VirtualPlanesOptions {
  /** The virtual clusters of the built-in cluster. */
  readonly virtualClusters: Pick<KindStore, 'peek' | 'listen'>;
  /** Must have the plane pinned before it first waits: from then on it is not removed until it is left. */
  visit(planeId: string, name: string): Promise<Omit<PlaneVisit, 'signal'>>;
}

interface Door {
  readonly end: AbortController;
  visitors: number;
}

/**
 * The planes of virtual clusters, as far as their objects let somebody in. An object that is put to sleep or whose
 * removal begins ends what lasts in its plane; whoever asks after that is told so.
 */
export function virtualPlanes(options: VirtualPlanesOptions): VirtualPlanes {
  const { virtualClusters } = options;
  const doors = new Map<string, Door>();

  const stop = virtualClusters.listen(({ before, after }) => {
    const object = after?.object ?? before?.object;
    if (object === undefined) return;
    const door = doors.get(planeIdOf(object));
    const closed = after === undefined ? gone(object) : whyClosed(object);
    if (door === undefined || closed === undefined) return;
    doors.delete(planeIdOf(object));
    door.end.abort(closed);
  });

  function doorOf(planeId: string): Door {
    const known = doors.get(planeId);
    if (known !== undefined) return known;
    const door = { end: new AbortController(), visitors: 0 };
    doors.set(planeId, door);
    return door;
  }

  return {
    async enter({ namespace, name }) {
      const object = virtualClusters.peek(namespace, name)?.object;
      if (object === undefined) throw notFound(groupResourceOf(virtualClusterKind), name);
      const closed = whyClosed(object);
      if (closed !== undefined) throw closed;
      const planeId = planeIdOf(object);
      // In the same turn as the look above: whoever removes the plane comes before it or waits for it.
      const visiting = options.visit(planeId, name);
      const door = doorOf(planeId);
      door.visitors += 1;
      const leaveDoor = () => {
        door.visitors -= 1;
        if (door.visitors === 0 && doors.get(planeId) === door) doors.delete(planeId);
      };
      try {
        const { plane, leave } = await visiting;
        let left = false;
        return {
          plane,
          signal: door.end.signal,
          leave() {
            if (left) return;
            left = true;
            leaveDoor();
            leave();
          },
        };
      } catch (error) {
        leaveDoor();
        throw error;
      }
    },

    at({ namespace, name }) {
      const object = virtualClusters.peek(namespace, name)?.object;
      if (object === undefined) return undefined;
      return {
        uid: object.metadata.uid ?? '',
        planeId: planeIdOf(object),
        owner: object.metadata.labels?.[hostOwnerLabel] ?? '',
        door: isBeingRemoved(object) ? 'closing' : isAsleep(object) ? 'asleep' : 'open',
      };
    },

    opened({ namespace, name }, signal) {
      const isOpen = () => {
        const object = virtualClusters.peek(namespace, name)?.object;
        return object !== undefined && whyClosed(object) === undefined;
      };
      if (isOpen()) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const stopListening = virtualClusters.listen(() => {
          if (!isOpen()) return;
          letGo();
          resolve();
        });
        const leaveSignal = followSignal(signal, (reason) => {
          letGo();
          reject(reason);
        });
        const letGo = () => {
          stopListening();
          leaveSignal();
        };
      });
    },

    planeIdAt({ namespace, name }) {
      const object = virtualClusters.peek(namespace, name)?.object;
      return object === undefined || whyClosed(object) !== undefined ? undefined : planeIdOf(object);
    },

    close: stop,
  };
}

function whyClosed(object: KubeObject): StatusError | undefined {
  const name = JSON.stringify(object.metadata.name ?? '');
  if (isBeingRemoved(object)) return serviceUnavailable(`the virtual cluster ${name} is being removed`);
  if (!isAsleep(object)) return undefined;
  return serviceUnavailable(
    `the virtual cluster ${name} is asleep; nothing in it is lost: set spec.asleep of its ${virtualClusterKind.kind} to false to wake it`,
  );
}

function gone({ metadata }: KubeObject): StatusError {
  return notFound(groupResourceOf(virtualClusterKind), metadata.name ?? '');
}
