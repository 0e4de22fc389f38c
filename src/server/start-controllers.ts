import { configMapKind } from '../api/core/config-map.ts';
import { secretKind } from '../api/core/secret.ts';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { projectKind } from '../api/management/v1/project.ts';
import { teamKind } from '../api/management/v1/team.ts';
import { userKind } from '../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import { inProcessClient } from '../builtin/in-process-client.ts';
import { startClusterController } from '../controllers/clusters/cluster-controller.ts';
import type { InstanceActivity } from '../controllers/instances/instance-activity.ts';
import {
  type InstanceControllerOptions,
  startInstanceController,
} from '../controllers/instances/instance-controller.ts';
import { startProjectController } from '../controllers/projects/project-controller.ts';
import { startReadyTimeRecorder } from '../controllers/projects/ready-times.ts';
import { startUserController } from '../controllers/users/user-controller.ts';
import { storedEvents } from '../controlplane/core/events.ts';
import { storedLeases } from '../controlplane/core/leases.ts';
import type { Host } from '../hosts/host.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { chooseCluster } from '../management/instances/placement.ts';
import type { ManagementState } from '../management/state.ts';
import type { KindStores } from '../registry/kind-stores.ts';
import type { Tenure } from '../replicas/tenure.ts';
import { hostsInTenure } from './background/hosts-in-tenure.ts';
import { workSharesIn } from './background/work-shares.ts';
import type { ConnectedHosts } from './connected-hosts.ts';

export interface ControllersOptions {
  /** The kinds of the management API. */
  readonly kinds: KindStores;
  readonly state: ManagementState;
  hostOf(cluster: string): Host | undefined;
  readonly activity: InstanceActivity;
  /** Renders templates. Optional; by default they are rendered on this thread. */
  readonly render?: InstanceControllerOptions['render'];
  /** Reads the objects of templates. Optional; by default they are read on this thread. */
  readonly readObjects?: InstanceControllerOptions['readObjects'];
  readonly connected: Pick<ConnectedHosts, 'connectionOf' | 'onReplaced'>;
  /** The period in which the controllers run. */
  readonly tenure: Tenure;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts all controllers of the management API for one tenure. Returns a function that stops them. */
export function startControllers(options: ControllersOptions): () => Promise<void> {
  const { kinds, state, activity, connected, tenure, clock, log } = options;
  const shares = workSharesIn(tenure);
  const hostOf = hostsInTenure(options.hostOf, tenure);
  const management = inProcessClient(kinds, 'flotilla', tenure.fence);
  const projects = management.resource(projectKind);
  const instances = management.resource(virtualClusterInstanceKind);
  const clusters = management.resource(clusterKind);
  const readyTimes = startReadyTimeRecorder({ projects, clock, log });
  const controllers = [
    startProjectController({
      projects,
      instances,
      contents: [storedLeases, secretKind, configMapKind, storedEvents].map((kind) => management.resource(kind)),
      usage: (project) => ({ total: state.instanceCount(project), perOwner: state.instanceOwners(project) }),
      share: shares.leader,
      clock,
      log,
    }),
    startUserController({
      users: management.resource(userKind),
      teams: management.resource(teamKind),
      share: shares.leader,
      clock,
      log,
    }),
    startClusterController({
      clusters,
      connectionOf: (name) => connected.connectionOf(name),
      onReplaced: (listener) => connected.onReplaced(listener),
      async instancesOn(name) {
        await state.caughtUp();
        return state.instancesOn(name);
      },
      share: shares.sharded,
      clock,
      log,
    }),
    startInstanceController({
      instances,
      projects,
      templates: management.resource(virtualClusterTemplateKind),
      clusters,
      events: management.resource(storedEvents),
      hostOf,
      onHostReplaced: (listener) => connected.onReplaced(listener),
      chooseCluster(name) {
        const project = state.project(name);
        return project === undefined ? undefined : chooseCluster(project, state);
      },
      activity,
      ...(options.render === undefined ? {} : { render: options.render }),
      ...(options.readObjects === undefined ? {} : { readObjects: options.readObjects }),
      onReady: (project, milliseconds) => readyTimes.record(project, milliseconds),
      share: shares.sharded,
      clock,
      log,
    }),
  ];
  return async () => {
    await Promise.all(controllers.map((controller) => controller.stop()));
    await readyTimes.stop();
  };
}
