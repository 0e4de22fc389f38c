import type { ApiSet } from '../api/storage/api-set.ts';
import type { Identity } from '../auth/identity.ts';
import type { ControlPlane } from '../controlplane/control-plane.ts';
import { serviceAccountIssuer } from '../controlplane/core/accounts/account-tokens.ts';
import type { Fleet } from '../controlplane/fleet/fleet.ts';
import { sizeLimitPart } from '../controlplane/fleet/size-limit.ts';
import { openKubernetesPlane } from '../controlplane/kubernetes-plane.ts';
import { tasksInPlanes } from '../controlplane/maintenance/maintenance-task.ts';
import { planeApiOf } from '../controlplane/plane-creation.ts';
import type { PartDependencies, PlanePart } from '../controlplane/plane-part.ts';
import type { PlaneTarget } from '../gateway/gateway-target.ts';
import { preauthorizingPlane } from '../gateway/preauthorizing-plane.ts';
import type { MaintenanceWork } from '../registry/write/maintenance-work.ts';
import type { Entry, Store } from '../store/store.ts';
import { type ComposedPlane, createPlaneComposer, type PlaneComposerOptions } from './compose-plane.ts';
import type { PlaneRunner } from './plane-runner.ts';
import { createPlaneHandlers, type PlaneHandlersOptions } from './plane-server.ts';

export interface PlaneTargetsOptions extends PlaneComposerOptions, Omit<PlaneHandlersOptions, 'issuerOf'> {
  /**
   * The maximum total size of the objects in one virtual cluster, in bytes. A full virtual cluster refuses new objects
   * and updates that make an object larger.
   */
  readonly maxVirtualClusterBytes: number;
  /** The maximum number of objects in one virtual cluster. */
  readonly maxVirtualClusterObjects: number;
  /** Called after a write has recorded maintenance work, such as garbage collection, in the store. */
  onMaintenance(work: MaintenanceWork): void;
}

/** Opens planes on this thread and serves their APIs. */
export interface PlaneTargets {
  /** Returns the digest of the built-in objects of planes with this set of kinds. */
  builtinDigest(api: ApiSet): string;
  /**
   * Opens a plane. `additionalPart` is a part that only this plane has; by default a plane is a virtual cluster with a
   * limited size.
   */
  open(
    plane: { readonly id: string; readonly store: Store; readonly creationRow: Entry },
    additionalPart?: (dependencies: PartDependencies) => PlanePart,
  ): Promise<ControlPlane>;
  /** Returns the API of an open plane. Always the same object for a plane. */
  targetOf(plane: ControlPlane): PlaneTarget;
}

export function createPlaneTargets(options: PlaneTargetsOptions): PlaneTargets {
  const { clock, log, maxVirtualClusterBytes, maxVirtualClusterObjects, onMaintenance } = options;
  const { builtinDigest, compose } = createPlaneComposer(options);
  const { tokens } = options;
  const handlerOf = createPlaneHandlers({
    ...options,
    issuerOf: (planeId) => ({
      issuer: serviceAccountIssuer(tokens.installation, planeId),
      publicKeys: () => tokens.publicKeys(),
    }),
  });
  const compositions = new WeakMap<ControlPlane, ComposedPlane>();
  const targets = new WeakMap<ControlPlane, PlaneTarget>();
  const sizeLimit = (dependencies: PartDependencies) =>
    sizeLimitPart({
      maxBytes: maxVirtualClusterBytes,
      maxObjects: maxVirtualClusterObjects,
      plane: () => dependencies.plane(),
    });

  return {
    builtinDigest,
    async open({ id, store, creationRow }, additionalPart = sizeLimit) {
      let composition: ComposedPlane | undefined;
      const plane = await openKubernetesPlane({
        id,
        store,
        creationRow,
        clock,
        log,
        onMaintenanceWork: onMaintenance,
        compose(dependencies) {
          composition = compose(dependencies, {
            api: planeApiOf(creationRow.value),
            parts: [additionalPart(dependencies)],
          });
          return composition;
        },
      });
      if (composition !== undefined) compositions.set(plane, composition);
      return plane;
    },
    targetOf(plane) {
      const known = targets.get(plane);
      if (known !== undefined) return known;
      const target: PlaneTarget = {
        plane,
        ...(plane.freshRevision === undefined ? {} : { freshRevision: plane.freshRevision }),
        authorize: (identity, attributes) => plane.authorize(identity, attributes),
        serve: handlerOf(preauthorizingPlane(plane)),
        async authenticate(token) {
          const account = await authenticateIn(plane, compositions.get(plane), token);
          // Service accounts of different virtual clusters can have equal names. The plane ID in the key ensures that
          // they do not share one fair-queueing share.
          return account && { ...account, fairQueueKey: `${plane.id}/${account.user.name}` };
        },
      };
      targets.set(plane, target);
      return target;
    },
  };
}

/**
 * Authenticates a service account. Another replica may have created the account, so a token is refused only after the
 * current state was read from the store.
 */
async function authenticateIn(
  plane: ControlPlane,
  composition: ComposedPlane | undefined,
  token: string,
): Promise<Identity | undefined> {
  const account = await composition?.authenticate(token);
  if (account !== undefined || plane.freshRevision === undefined) return account;
  await plane.freshRevision();
  return await composition?.authenticate(token);
}

/** Runs the planes of a fleet on this thread. */
export function planesOnThisThread(fleet: Fleet, store: Store, { targetOf }: PlaneTargets): PlaneRunner {
  return {
    async open(id) {
      const borrowed = await fleet.borrow(id);
      return borrowed && { target: targetOf(borrowed.plane), release: borrowed.release };
    },
    probe: async (id) => (await fleet.borrow(id))?.release(),
    runTask: tasksInPlanes(store, fleet.planeSource),
    get loaded() {
      return fleet.loaded;
    },
    takeUsage: async () => fleet.sizes().map(({ id, ...size }) => ({ planeId: id, size })),
  };
}
