import type { Plane } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { LeftWork } from '../registry/left-work.ts';
import { SliceObjects } from '../registry/slice-objects.ts';
import { standingDigest } from '../registry/standing-kinds.ts';
import type { Entry, Store } from '../store/store.ts';
import { type ControlPlane, openControlPlane } from './control-plane.ts';
import { bornPlane } from './plane-birth.ts';
import type { AdmittedWrite, PartDependencies, PlanePart } from './plane-part.ts';

export interface KubernetesPlaneOptions {
  /** The slice of the store that is this plane's alone. */
  readonly id: string;
  readonly store: Store;
  /** The row of its birth as it was just read; absent: it is read. */
  readonly birth?: Entry;
  readonly clock: Clock;
  readonly log: Log;
  /** Called once, before anything is open. */
  compose(dependencies: PartDependencies): PlaneComposition;
  /** Work for upkeep was written. */
  onUpkeep(left: LeftWork): void;
}

export interface PlaneComposition {
  /** In the order in which they are mounted, started, and asked to admit a write. */
  readonly parts: readonly PlanePart[];
  readonly authorize: Plane['authorize'];
  /** Absent: who may list a kind sees all of it, as in Kubernetes. */
  readonly mayRead?: Plane['mayRead'];
}

/**
 * A control plane of the Kubernetes kind, made of parts. It is born when it is first opened, with all that its parts
 * say stands in every plane. Resolves when its parts have started; `close` ends them.
 */
export async function openKubernetesPlane(options: KubernetesPlaneOptions): Promise<ControlPlane> {
  const { id, clock, log } = options;
  let opened: ControlPlane | undefined;
  const { parts, authorize, mayRead } = options.compose({
    planeId: id,
    clock,
    log,
    plane() {
      if (opened === undefined) throw new Error(`the control plane ${id} is not open yet`);
      return opened;
    },
  });
  const lists = parts.flatMap(({ standing }) => (standing === undefined ? [] : [standing]));
  // In this order: what is read then is as new as what stands, and watches that resume are told of both.
  const birth = await bornPlane(options.store, id, clock, standingDigest(lists), options.birth);
  const objects = await SliceObjects.open(options.store, id);
  const plane = await openControlPlane({
    id,
    store: options.store,
    clock,
    standing: { lists, birth },
    objects,
    resources: parts.flatMap((part) => part.resources),
    mount: (stores) => parts.flatMap((part) => part.mount(stores)),
    authorize,
    mayRead: mayRead ?? (() => undefined),
    admit: (write) => admitBy(parts, write),
    onUpkeep: options.onUpkeep,
  });
  const ends: (() => void)[] = [];
  const whole: ControlPlane = {
    ...plane,
    get generation() {
      return plane.generation;
    },
    close() {
      for (const end of ends.splice(0).reverse()) end();
      plane.close();
    },
  };
  opened = whole;
  try {
    for (const part of parts) {
      const end = await part.start?.();
      if (end !== undefined) ends.push(end);
    }
  } catch (error) {
    whole.close();
    throw error;
  }
  objects.release();
  return whole;
}

/** One after the other, until one refuses. Most have nothing to say, and nobody is to wait for that. */
function admitBy(parts: readonly PlanePart[], write: AdmittedWrite): Promise<void> | undefined {
  for (const [index, part] of parts.entries()) {
    const deciding = part.admit?.(write);
    if (deciding instanceof Promise) return deciding.then(() => admitBy(parts.slice(index + 1), write));
  }
  return undefined;
}
