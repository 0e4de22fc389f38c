import type { clusterKind } from '../../api/management/v1/cluster.ts';
import type { projectKind } from '../../api/management/v1/project.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import { timestamp } from '../../api/meta.ts';
import type { FieldsOf } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Log } from '../../lib/log.ts';
import { type Outcome, type RunningController, startController } from '../runtime/controller.ts';
import { ActivityNotes, isActivityStale } from './activity-notes.ts';
import { BindingChecks } from './binding-checks.ts';
import { createEventRecorder } from './event-recorder.ts';
import { FirstReady } from './first-ready.ts';
import { HostFollows } from './host-follows.ts';
import { InstanceDirectory } from './instance-directory.ts';
import { factsOf, type InstanceFacts, keyOf } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';
import { sleepModeOf } from './sleep-mode.ts';
import { slimInstances } from './slim-instances.ts';
import { StatusDraft } from './status-draft.ts';
import { dressStep } from './step-dress.ts';
import { expireStep } from './step-expire.ts';
import { placeStep } from './step-place.ts';
import { renderStep } from './step-render.ts';
import { runStep } from './step-run.ts';
import { takeDownStep } from './step-take-down.ts';
import { tellIfSlow } from './tell-if-slow.ts';
import { TimelyHosts } from './timely-hosts.ts';
import { writeStatus } from './write-status.ts';

export interface InstanceControllerOptions extends Omit<InstanceNeeds, 'events' | 'bindings'> {
  /**
   * Calls back when the host of a cluster is added, replaced or removed. Returns a function that unsubscribes.
   * Optional.
   */
  onHostReplaced?(listener: (cluster: string) => void): () => void;
  /** Reports the time that an instance took from its creation to its first Ready. Optional. */
  onReady?(project: string, milliseconds: number): void;
  readonly clusters: ResourceClient<FieldsOf<typeof clusterKind>>;
  readonly projects: ResourceClient<FieldsOf<typeof projectKind>>;
  /** Core events. */
  readonly events: ResourceClient;
  readonly log: Log;
}

/**
 * Concurrent reconciles per cluster: enough to share group commits, and a slow cluster delays only its own instances.
 */
const reconcilesPerCluster = 32;

/**
 * Installs, updates and removes the virtual clusters that instances describe. Each reconcile does what is possible now
 * and ends with at most one write to the instance: its location, its status or its finalizer.
 */
export function startInstanceController(options: InstanceControllerOptions): RunningController {
  const { instances, templates, clusters, projects, activity, clock, log } = options;
  const directory = new InstanceDirectory();
  const recorder = createEventRecorder({ events: options.events, component: 'flotilla', clock, log });
  const bindings = new BindingChecks(clock);
  const hosts = new TimelyHosts(options.hostOf, clock);
  const dependencies: InstanceNeeds = {
    ...options,
    hostOf: (cluster) => hosts.of(cluster),
    events: recorder,
    bindings,
  };
  const tracker = new ActivityNotes(activity, clock);
  const firstReady = new FirstReady(clock, (project, milliseconds) => options.onReady?.(project, milliseconds));
  let add: (key: string) => void = () => {};
  /** Subscribes to a cluster from its first instance on. */
  const subscriptions = new HostFollows({
    hostOf: options.hostOf,
    listenerOf: (cluster) => ({
      onChange({ namespace }) {
        for (const key of directory.in(cluster, namespace)) add(key);
      },
      onGap: () => addAllOn(cluster),
    }),
  });
  const addAllOn = (cluster: string) => {
    for (const key of directory.on(cluster)) add(key);
  };
  const unsubscribeHosts = options.onHostReplaced?.((cluster) => {
    subscriptions.keep(cluster);
    addAllOn(cluster);
  });

  const unscheduled = () => directory.on('');
  const controller = startController({
    name: 'instances',
    clock,
    log,
    workers: reconcilesPerCluster,
    laneOf: (key) => directory.clusterOf(key),
    sources: [
      {
        resource: slimInstances(instances),
        keys(instance) {
          if (directory.put(instance)) firstReady.came(instance.metadata.uid ?? '');
          return [keyOf(instance)];
        },
      },
    ],
    followed: [
      { resource: templates, keys: ({ metadata }) => directory.from(metadata.name ?? '') },
      { resource: clusters, keys: unscheduled },
      { resource: projects, keys: unscheduled },
    ],
    async others(enqueue, signal) {
      add = enqueue;
      const addUid = (uid: string): boolean => {
        const key = directory.keyOfUid(uid);
        if (key !== undefined) enqueue(key);
        return key !== undefined;
      };
      const stopChecks = bindings.follow(activity, addUid);
      await tracker.follow(addUid, signal);
      stopChecks();
    },
    async reconcile(key, _copies, signal) {
      const instance = await find(instances, key, signal);
      if (instance === undefined) {
        const uid = directory.remove(key) ?? '';
        tracker.forget(uid);
        bindings.forget(uid);
        firstReady.forget(uid);
        return undefined;
      }
      const snapshot = factsOf(instance);
      subscriptions.keep(snapshot.cluster);
      if (instance.metadata.deletionTimestamp !== undefined) return await takeDownStep(snapshot, dependencies, signal);
      if (snapshot.cluster === '') return await placeStep(snapshot, dependencies, signal);
      return await reconcileInstance(snapshot, { tracker, firstReady }, dependencies, signal);
    },
  });
  return {
    synced: controller.synced,
    async stop() {
      unsubscribeHosts?.();
      await controller.stop();
      await subscriptions.stop();
      await recorder.stop();
    },
  };
}

async function find(
  instances: InstanceNeeds['instances'],
  key: string,
  signal: AbortSignal,
): Promise<VirtualClusterInstance | undefined> {
  const slash = key.indexOf('/');
  return await undefinedIfNotFound(
    instances.get({ namespace: key.slice(0, slash), name: key.slice(slash + 1) }, { signal }),
  );
}

async function undefinedIfNotFound<Found>(call: Promise<Found>): Promise<Found | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  }
}

async function reconcileInstance(
  snapshot: InstanceFacts,
  { tracker, firstReady }: { readonly tracker: ActivityNotes; readonly firstReady: FirstReady },
  dependencies: InstanceNeeds,
  signal: AbortSignal,
): Promise<Outcome> {
  const { object, cluster } = snapshot;
  const now = dependencies.clock.now();
  const sleepMode = sleepModeOf(snapshot, dependencies.activity.lastActivity(snapshot.uid), now);
  const isStale = isActivityStale(snapshot, sleepMode);
  tracker.note(snapshot, sleepMode, isStale);
  if (sleepMode.deleted && (await expireStep(snapshot, dependencies, signal))) return undefined;
  const draft = new StatusDraft(object, now);
  if (isStale && sleepMode.lastActivity !== undefined) draft.set('lastActivity', timestamp(sleepMode.lastActivity));
  draft.condition('Scheduled', 'True', { reason: 'Placed', message: `Assigned to cluster "${cluster}".` });
  const definition = await renderStep(snapshot, draft, (name) =>
    undefinedIfNotFound(dependencies.templates.get({ name }, { signal })),
  );
  if (draft.rendersAnew && (await dressStep(snapshot, definition ?? {}, draft, dependencies, signal))) return undefined;
  const finishReport = tellIfSlow(snapshot, dependencies, signal);
  try {
    await runStep(snapshot, definition, sleepMode, draft, dependencies, signal);
  } catch (error) {
    await finishReport();
    if (!signal.aborted) await writeStatus(dependencies.instances, object, draft, signal);
    throw error;
  }
  await finishReport();
  await writeStatus(dependencies.instances, object, draft, signal);
  firstReady.looked(snapshot, draft.phase);
  const delay = sleepMode.againAfterMilliseconds;
  return delay === undefined ? undefined : { againAfterMilliseconds: delay };
}
