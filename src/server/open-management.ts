import { projectKind } from '../api/management/v1/project.ts';
import { teamKind } from '../api/management/v1/team.ts';
import { userKind } from '../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { managementGroup } from '../api/naming.ts';
import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import { decide } from '../auth/authz/decide.ts';
import { readerOf } from '../auth/authz/reader.ts';
import { rulesFor } from '../auth/authz/rules-review.ts';
import type { TokenSigner } from '../auth/direct-token.ts';
import { startProjectController } from '../controllers/projects/project-controller.ts';
import type { RunningController } from '../controllers/runtime/controller.ts';
import { startUserController } from '../controllers/users/user-controller.ts';
import { type ControlPlane, type KindStores, openControlPlane } from '../controlplane/control-plane.ts';
import { coreEventsView, eventsView } from '../controlplane/core/event-views.ts';
import { storedEvents } from '../controlplane/core/events.ts';
import { storedLeases } from '../controlplane/core/leases.ts';
import { readOnlyNamespaces } from '../controlplane/core/namespaces.ts';
import { accessReviews, kubernetesReviews, type ReviewDependencies } from '../controlplane/core/reviews.ts';
import { startUpkeep } from '../controlplane/upkeep/upkeep.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { managementResources } from '../management/management-resources.ts';
import { mountManagement } from '../management/mount-management.ts';
import type { ManagementSettings } from '../management/settings.ts';
import { createManagementState, type ManagementState } from '../management/state.ts';
import { type Credentialed, subjectOf } from '../management/subject.ts';
import type { KindStore } from '../registry/kind-store.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import { resourceKey } from '../registry/rows.ts';
import { mountStored } from '../registry/stored-verbs.ts';
import type { Sealer } from '../seal/sealer.ts';
import type { Store } from '../store/store.ts';
import { inProcessClient } from './in-process-client.ts';

export interface ManagementOptions {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly settings: ManagementSettings;
  /** What signs tokens now. */
  signer(): TokenSigner;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Management {
  readonly plane: ControlPlane;
  readonly state: ManagementState;
  /** Starts what works by itself: upkeep and the controllers. Returns how it ends. */
  start(): () => Promise<void>;
}

/** The slice of the store that is the management API's. */
const slice = 'management';

/** The management API as a control plane: kinds, rules, rights. Nothing works by itself until it is started. */
export async function openManagement(options: ManagementOptions): Promise<Management> {
  const { store, sealer, settings, clock, log } = options;
  const state = createManagementState(settings.projects);
  const dependencies = { state, settings, clock, sealer };
  const authorize = (caller: Credentialed, attributes: Attributes): Decision =>
    decide(subjectOf(caller, state), attributes, state);
  const reviews: ReviewDependencies = {
    clock,
    authorize,
    rules: (caller, namespace) => rulesFor(subjectOf(caller, state), namespace, state),
  };
  let wake = (): void => {};

  const plane = await openControlPlane({
    id: slice,
    store,
    clock,
    resources: [readOnlyNamespaces, storedEvents, storedLeases, ...managementResources(dependencies)],
    mount: (stores) => [
      ...coreKinds(stores),
      ...kubernetesReviews(reviews),
      ...accessReviews(managementGroup, reviews),
      ...mountManagement(stores, { ...dependencies, instanceId: store.identity, signer: options.signer }),
    ],
    authorize,
    mayRead: (caller, kind, verb) => readerOf(subjectOf(caller, state), kind, state, verb),
    onUpkeep: () => wake(),
  });

  return {
    plane,
    state,
    start() {
      const upkeep = startUpkeep({ store, clock, log, plane: async (id) => (id === slice ? plane : undefined) });
      wake = () => upkeep.wake();
      upkeep.wake();
      const controllers = startControllers(plane, state, clock, log);
      return async () => {
        await Promise.all(controllers.map((controller) => controller.stop()));
        await upkeep.stop();
      };
    },
  };
}

function startControllers(
  { kinds }: ControlPlane,
  state: ManagementState,
  clock: Clock,
  log: Log,
): RunningController[] {
  const management = inProcessClient(kinds, 'flotilla');
  return [
    startProjectController({
      projects: management.resource(projectKind),
      instances: management.resource(virtualClusterInstanceKind),
      contents: [storedLeases, storedEvents].map((kind) => management.resource(kind)),
      usage: (project) => ({ total: state.instanceCount(project), perOwner: state.instanceOwners(project) }),
      clock,
      log,
    }),
    startUserController({ users: management.resource(userKind), teams: management.resource(teamKind), clock, log }),
  ];
}

function coreKinds(stores: KindStores): MountedResource[] {
  const events = storeOf(stores, resourceKey(storedEvents));
  return [
    mountStored(storeOf(stores, resourceKey(readOnlyNamespaces))),
    coreEventsView(events),
    eventsView(events),
    mountStored(storeOf(stores, resourceKey(storedLeases))),
  ];
}

function storeOf(stores: KindStores, key: string): KindStore {
  const store = stores.get(key);
  if (store === undefined) throw new Error(`the control plane has no store for ${key}`);
  return store;
}
