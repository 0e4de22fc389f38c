import { configMapKind } from '../api/core/config-map.ts';
import { secretKind } from '../api/core/secret.ts';
import { effectiveIsolation } from '../api/management/host-isolation/host-isolation.ts';
import { type AccessKey, accessKeyKind } from '../api/management/v1/access-key.ts';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { projectWebhookKind } from '../api/management/v1/notifications/project-webhook.ts';
import { projectKind } from '../api/management/v1/project.ts';
import { spaceInstanceKind } from '../api/management/v1/space-instance.ts';
import { spaceTemplateKind } from '../api/management/v1/space-template.ts';
import { teamKind } from '../api/management/v1/team.ts';
import { userKind } from '../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import { projectNamespace } from '../api/naming.ts';
import { teamPrincipal, userPrincipal } from '../auth/authz/principals.ts';
import { adminsOfProject } from '../auth/authz/project-grants.ts';
import { inProcessClient } from '../builtin/in-process-client.ts';
import type { ApiClient } from '../client/resource-client.ts';
import { startAccessKeyController } from '../controllers/access-keys/access-key-controller.ts';
import { startClusterController } from '../controllers/clusters/cluster-controller.ts';
import { checkReplacedCluster, recordedReplacement } from '../controllers/clusters/replaced-cluster.ts';
import type { InstanceActivity } from '../controllers/instances/instance-activity.ts';
import {
  type InstanceControllerOptions,
  managedSpaces,
  startInstanceController,
} from '../controllers/instances/instance-controller.ts';
import { startProjectController } from '../controllers/projects/project-controller.ts';
import { startReadyTimeRecorder } from '../controllers/projects/ready-times.ts';
import type { RunningController } from '../controllers/runtime/controller.ts';
import type { ControllerObserver } from '../controllers/runtime/controller-observer.ts';
import { startUserController } from '../controllers/users/user-controller.ts';
import { startWebhookController } from '../controllers/webhooks/webhook-controller.ts';
import { storedEvents } from '../controlplane/core/events.ts';
import { storedLeases } from '../controlplane/core/leases.ts';
import type { Host } from '../hosts/host.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { keeperOf, lostKeeperReason } from '../management/access-keys/access-key-creator.ts';
import { chooseCluster, isReadOnly } from '../management/instances/placement.ts';
import type { ManagementSettings } from '../management/settings.ts';
import { instanceKinds, type ManagementState } from '../management/state.ts';
import type { KindStores } from '../registry/kind-stores.ts';
import { hostsInTenure } from './background/hosts-in-tenure.ts';
import { workSharesIn } from './background/work-shares.ts';
import type { ConnectedHosts } from './connected-hosts.ts';
import { type WebhookDeliveryOptions, webhookDelivery } from './webhooks/webhook-delivery.ts';

export interface ControllersOptions extends WebhookDeliveryOptions {
  /** The kinds of the management API. */
  readonly kinds: KindStores;
  readonly state: ManagementState;
  readonly settings: Pick<ManagementSettings, 'accessKeys' | 'hosts'>;
  hostOf(cluster: string): Host | undefined;
  readonly activity: InstanceActivity;
  /** Renders templates. Optional; by default they are rendered on this thread. */
  readonly render?: InstanceControllerOptions['render'];
  /** Reads the objects of templates. Optional; by default they are read on this thread. */
  readonly readObjects?: InstanceControllerOptions['readObjects'];
  readonly connected: Pick<ConnectedHosts, 'connectionOf' | 'onReplaced'>;
  /** Observes the work of the controllers, for metrics and traces. */
  readonly observer?: ControllerObserver | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts all controllers of the management API for one tenure. Returns a function that stops them. */
export function startControllers(options: ControllersOptions): () => Promise<void> {
  const { kinds, state, tenure, observer, clock, log } = options;
  const shares = workSharesIn(tenure);
  const management = inProcessClient(kinds, 'flotilla', tenure.fence);
  const projects = management.resource(projectKind);
  const instances = management.resource(virtualClusterInstanceKind);
  const spaces = management.resource(spaceInstanceKind);
  const readyTimes = startReadyTimeRecorder({ projects, clock, log });
  const instanceControllers = instanceControllerOptions(options, management);
  const controllers = [
    startProjects(options, management),
    startUserController({
      users: management.resource(userKind),
      teams: management.resource(teamKind),
      share: shares.leader,
      observer,
      clock,
      log,
    }),
    startAccessKeys(options, management),
    startClusters(options, management),
    startInstanceController({
      ...instanceControllers,
      instances,
      templates: management.resource(virtualClusterTemplateKind),
      onReady: (project, milliseconds) => readyTimes.record(project, milliseconds),
    }),
    startInstanceController({
      ...instanceControllers,
      instances: spaces,
      templates: management.resource(spaceTemplateKind),
      manages: managedSpaces({ adminsOf: (project) => adminsOfProject(state.project(project)) }),
    }),
    startWebhookController({
      ...webhookDelivery(options),
      webhooks: management.resource(projectWebhookKind),
      share: shares.sharded,
      observer,
      clock,
      log,
    }),
  ];
  return async () => {
    await Promise.all(controllers.map((controller) => controller.stop()));
    await readyTimes.stop();
  };
}

function startProjects(
  { state, tenure, observer, clock, log }: ControllersOptions,
  management: ApiClient,
): RunningController {
  return startProjectController({
    projects: management.resource(projectKind),
    instances: [management.resource(virtualClusterInstanceKind), management.resource(spaceInstanceKind)],
    contents: [storedLeases, secretKind, configMapKind, storedEvents, projectWebhookKind].map((kind) =>
      management.resource(kind),
    ),
    usage: (project) =>
      instanceKinds.map((kind) => ({
        resource: kind.plural,
        total: state.instanceCount(kind, project),
        perOwner: state.instanceOwners(kind, project),
      })),
    share: workSharesIn(tenure).leader,
    observer,
    clock,
    log,
  });
}

function startAccessKeys(
  { state, settings, tenure, observer, clock, log }: ControllersOptions,
  management: ApiClient,
): RunningController {
  return startAccessKeyController({
    accessKeys: management.resource(accessKeyKind),
    users: management.resource(userKind),
    teams: management.resource(teamKind),
    events: management.resource(storedEvents),
    keeperOf: (key) => keeperOf(key, state),
    lostKeeperReason: (key) => lostKeeperReason(key, state),
    namespacesOf: (key) => namespacesOfKey(key, state),
    settings: settings.accessKeys,
    share: workSharesIn(tenure).leader,
    observer,
    clock,
    log,
  });
}

function startClusters(
  { state, connected, tenure, observer, clock, log }: ControllersOptions,
  management: ApiClient,
): RunningController {
  return startClusterController({
    clusters: management.resource(clusterKind),
    connectionOf: (name) => connected.connectionOf(name),
    isReadOnly: (name) => isReadOnlyCluster(name, state),
    onReplaced: (listener) => connected.onReplaced(listener),
    async instancesOn(name) {
      await state.caughtUp();
      return state.instancesOn(name);
    },
    share: workSharesIn(tenure).sharded,
    observer,
    clock,
    log,
  });
}

/** Returns the options that the controllers of virtual clusters and of spaces share. */
function instanceControllerOptions(
  options: ControllersOptions,
  management: ApiClient,
): Omit<InstanceControllerOptions, 'instances' | 'templates'> {
  const { state, activity, connected, tenure, clock, log } = options;
  const shares = workSharesIn(tenure);
  const hostOf = hostsInTenure(options.hostOf, tenure);
  const projects = management.resource(projectKind);
  const clusters = management.resource(clusterKind);
  return {
    projects,
    clusters,
    events: management.resource(storedEvents),
    hostOf,
    onHostReplaced: (listener) => connected.onReplaced(listener),
    chooseCluster(name) {
      const project = state.project(name);
      return project === undefined ? undefined : chooseCluster(project, state);
    },
    isReadOnly: (name) => isReadOnlyCluster(name, state),
    async replacedCluster(name, signal) {
      const cluster = state.cluster(name);
      const recorded = cluster && recordedReplacement(cluster);
      if (recorded !== undefined || hostOf(name) === undefined) return recorded;
      const connection = connected.connectionOf(name);
      return cluster && connection && (await checkReplacedCluster({ cluster, connection, clock, signal }));
    },
    activity,
    hostAccess: options.settings.hosts,
    isolationOf: (cluster, project) =>
      effectiveIsolation(
        state.cluster(cluster)?.spec?.hostIsolation,
        state.project(project)?.spec?.hostIsolation,
        options.settings.hosts.isolation,
      ),
    ...(options.render === undefined ? {} : { render: options.render }),
    ...(options.readObjects === undefined ? {} : { readObjects: options.readObjects }),
    share: shares.sharded,
    observer: options.observer,
    clock,
    log,
  };
}

/** The maximum number of projects in which events report one access key. */
const maxReportedProjects = 20;

/** Returns the namespaces of the projects of a key's owner, in which events report the key. */
function namespacesOfKey({ spec }: AccessKey, state: ManagementState): readonly string[] {
  const { user = '', team = '' } = spec ?? {};
  const teams = user === '' ? [team] : state.teamsOf(user);
  const principals = [...(user === '' ? [] : [userPrincipal(user)]), ...teams.map(teamPrincipal)];
  const projects = new Set(principals.flatMap((principal) => [...state.projectsOf(principal)]));
  return [...projects].sort().slice(0, maxReportedProjects).map(projectNamespace);
}

function isReadOnlyCluster(name: string, state: Pick<ManagementState, 'cluster'>): boolean {
  const cluster = state.cluster(name);
  return cluster !== undefined && isReadOnly(cluster);
}
