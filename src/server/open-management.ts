import { managementGroup } from '../api/naming.ts';
import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import { decide } from '../auth/authz/decide.ts';
import { permissionRulesFor } from '../auth/authz/rules-review.ts';
import { visibilityFilterFor } from '../auth/authz/visibility-filter.ts';
import type { TokenSigner } from '../auth/direct-token.ts';
import { type ControlPlane, openControlPlane } from '../controlplane/control-plane.ts';
import { coreEventsView, eventsGroupView } from '../controlplane/core/event-views.ts';
import { storedEvents } from '../controlplane/core/events.ts';
import { storedLeases } from '../controlplane/core/leases.ts';
import { readOnlyNamespaces } from '../controlplane/core/namespaces/namespaces.ts';
import { accessReviews, kubernetesReviews, type ReviewDependencies } from '../controlplane/core/reviews.ts';
import { ensurePlaneCreated } from '../controlplane/plane-creation.ts';
import type { Host } from '../hosts/host.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { managementDefinitions, readOnlyDefinitions } from '../management/definitions/management-definitions.ts';
import { managementResources } from '../management/management-resources.ts';
import { type MountOptions, mountManagement } from '../management/mount-management.ts';
import type { MailPreferences } from '../management/notifications/mail-preferences.ts';
import type { NotificationStates } from '../management/notifications/notification-states.ts';
import type { ManagementSettings } from '../management/settings.ts';
import { createManagementState, type ManagementState } from '../management/state.ts';
import { authorizationSubjectOf, type CredentialedCaller } from '../management/subject.ts';
import { selectsRecord } from '../management/webhooks/webhook-queue.ts';
import { createWebhookSender } from '../management/webhooks/webhook-sender.ts';
import { builtinObjectsDigest } from '../registry/cache/builtin-objects.ts';
import { type KindStores, storeOf } from '../registry/kind-stores.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import { mountStoredKind } from '../registry/verbs/stored-verbs.ts';
import type { MaintenanceWork } from '../registry/write/maintenance-work.ts';
import type { Sealer } from '../seal/sealer.ts';
import type { Store } from '../store/store.ts';
import { ActivityRetention } from './activity/activity-retention.ts';
import { openActivityLog } from './activity/open-activity-log.ts';
import { openMailPreferences } from './mail/mail-rows.ts';
import { openNotificationStates } from './notifications/notification-states.ts';
import { type ControllersOptions, startControllers } from './start-controllers.ts';
import { openWebhookQueue } from './webhooks/webhook-queue-rows.ts';

export interface ManagementApiOptions {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly settings: ManagementSettings;
  /** Returns the signer that uses the current signing key. */
  signer(): TokenSigner;
  readonly sign: MountOptions['sign'];
  readonly address: MountOptions['address'];
  readonly hasGateway: MountOptions['hasGateway'];
  readonly connect: MountOptions['connect'];
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the host of the connected cluster with this name; `undefined` if there is none. */
  hostOf(cluster: string): Host | undefined;
  readonly credentialUses: MountOptions['credentialUses'];
  readonly usageOf: MountOptions['usageOf'];
  /** Called after a transaction has stored maintenance work. */
  onMaintenanceWork(work: MaintenanceWork): void;
}

/** The inputs of the controllers that are not API objects, such as the records of the last use of virtual clusters. */
export type ControllerInputs = Pick<
  ControllersOptions,
  'activity' | 'connected' | 'hostOf' | 'render' | 'readObjects' | 'tenure' | 'observer' | 'webhookCounters'
>;

export interface ManagementApi {
  readonly plane: ControlPlane;
  readonly state: ManagementState;
  /** Removes old activity records after it was started. */
  readonly retention: ActivityRetention;
  readonly notificationStates: NotificationStates;
  readonly mailPreferences: MailPreferences;
  /** Starts the controllers. Returns a function that stops them. */
  start(inputs: ControllerInputs): () => Promise<void>;
}

/** The store slice of the management API. */
export const managementSlice = 'management';

/** Opens the management API as a control plane. Its controllers do not run until `start` is called. */
export async function openManagementApi(options: ManagementApiOptions): Promise<ManagementApi> {
  const { store, sealer, settings, clock, log } = options;
  const state = createManagementState({
    selfService: settings.projects.selfService,
    passwordsEnabled: settings.auth.password?.enabled !== false,
  });
  const retention = new ActivityRetention({ store, clock, log });
  const queue = openWebhookQueue({ store });
  const activity = openActivityLog({
    store,
    retention,
    queueFor: (namespace, name, stored) =>
      [...state.webhooksOf(namespace)]
        .filter((webhook) => selectsRecord(webhook, stored))
        .flatMap((webhook) => queue.writesOf(webhook, name)),
  });
  const notificationStates = openNotificationStates(store);
  const mailPreferences = openMailPreferences(store);
  const webhookSender = createWebhookSender({ settings: settings.webhooks, clock });
  const stored = { activity, notificationStates, mailPreferences };
  const { connect } = options;
  const dependencies = { state, settings, clock, sealer, ...stored, webhookSender, connect };
  const authorize = (caller: CredentialedCaller, attributes: Attributes): Decision =>
    decide(authorizationSubjectOf(caller, state), attributes, state);
  const reviews = reviewDependencies(options, state, authorize);

  const resources = managementResources(dependencies);
  const definitions = managementDefinitions(resources);
  const planeCreation = await ensurePlaneCreated({
    store,
    slice: managementSlice,
    clock,
    builtinDigest: builtinObjectsDigest([definitions]),
  });
  const plane = await openControlPlane({
    id: managementSlice,
    store,
    clock,
    log,
    builtinObjects: { lists: [definitions], planeCreation },
    resources: [readOnlyNamespaces, storedEvents, storedLeases, readOnlyDefinitions, ...resources],
    mount: (stores) => [
      ...coreKinds(stores),
      ...kubernetesReviews(reviews),
      ...accessReviews(managementGroup, reviews),
      ...mountManagement(stores, {
        ...dependencies,
        instanceId: store.identity,
        signer: options.signer,
        sign: options.sign,
        address: options.address,
        hasGateway: options.hasGateway,
        hostOf: options.hostOf,
        credentialUses: options.credentialUses,
        usageOf: options.usageOf,
      }),
    ],
    authorize,
    mayRead: (caller, kind, verb) => visibilityFilterFor(authorizationSubjectOf(caller, state), kind, state, verb),
    guardSecret: sealer.hash('guards of limits', store.identity),
    onMaintenanceWork: options.onMaintenanceWork,
  });

  return {
    plane,
    state,
    retention,
    notificationStates,
    mailPreferences,
    start: (inputs) =>
      startControllers({ kinds: plane.kinds, state, settings, store, sealer, webhookSender, ...inputs, clock, log }),
  };
}

function reviewDependencies(
  { store, clock }: ManagementApiOptions,
  state: ManagementState,
  authorize: (caller: CredentialedCaller, attributes: Attributes) => Decision,
): ReviewDependencies {
  // Waits until the caches of a shared store are current, so that a review includes permissions that another replica
  // has just granted or revoked.
  const caughtUp = async () => (store.isShared ? await state.caughtUp() : undefined);
  return {
    clock,
    authorize: async (caller, attributes) => {
      await caughtUp();
      return authorize(caller, attributes);
    },
    rules: async (caller, namespace) => {
      await caughtUp();
      return permissionRulesFor(authorizationSubjectOf(caller, state), namespace, state);
    },
  };
}

function coreKinds(stores: KindStores): MountedResource[] {
  const events = storeOf(stores, storedEvents);
  return [
    mountStoredKind(storeOf(stores, readOnlyNamespaces)),
    coreEventsView(events),
    eventsGroupView(events),
    mountStoredKind(storeOf(stores, storedLeases)),
    mountStoredKind(storeOf(stores, readOnlyDefinitions)),
  ];
}
