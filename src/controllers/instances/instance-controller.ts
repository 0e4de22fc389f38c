import { defaultHostAccessSettings } from '../../api/management/host-access/host-access-settings.ts';
import { renderDefinition } from '../../api/management/render-definition.ts';
import type { clusterKind } from '../../api/management/v1/cluster.ts';
import type { projectKind } from '../../api/management/v1/project.ts';
import { timestamp } from '../../api/meta.ts';
import type { FieldsOf } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Host, InstanceDriver } from '../../hosts/host.ts';
import type { Log } from '../../lib/log.ts';
import {
  type ReconcileResult,
  type RunningController,
  startController,
  type WatchSource,
} from '../runtime/controller.ts';
import type { ControllerObserver } from '../runtime/controller-observer.ts';
import type { WorkShare } from '../runtime/work-share.ts';
import { ActivityTracker, isActivityStale } from './activity-tracker.ts';
import { RoleBindingChecks } from './binding-checks.ts';
import { currentSleepMode } from './current-sleep-mode.ts';
import { createEventRecorder } from './event-recorder.ts';
import { FirstReadyTimer } from './first-ready-timer.ts';
import { HostSubscriptions } from './host-subscriptions.ts';
import { HostsWithTimeouts } from './hosts-with-timeouts.ts';
import type { InstanceContents, InstanceDependencies, StepContext } from './instance-dependencies.ts';
import { InstanceIndex } from './instance-index.ts';
import type { Instance } from './instance-profile.ts';
import { type InstanceSnapshot, instanceKey, snapshotOf } from './instance-snapshot.ts';
import { IsolationChanges } from './isolation-changes.ts';
import { reportSlowInstall } from './report-slow-install.ts';
import { type SpaceContentsOptions, spaceContents } from './space-contents.ts';
import { StatusDraft } from './status-draft.ts';
import { expireStep } from './steps/step-expire.ts';
import { removeInstanceStep } from './steps/step-remove.ts';
import { renderTemplateStep } from './steps/step-render.ts';
import { runInstanceStep } from './steps/step-run.ts';
import { scheduleStep } from './steps/step-schedule.ts';
import { sleepingSinceStep } from './steps/step-sleeping-since.ts';
import { templateMetadataStep } from './steps/step-template-metadata.ts';
import { trimmedInstanceClient } from './trimmed-instance-client.ts';
import { virtualClusterContents } from './virtual-cluster-contents.ts';
import { writeStatus } from './write-status.ts';

export interface InstanceControllerOptions
  extends Omit<InstanceDependencies, 'events' | 'bindings' | 'driverOf' | 'contents'> {
  /** The kind of instances. Optional; by default these are virtual clusters. */
  readonly manages?: ManagedInstances;
  /** Returns the host of the connected cluster with this name; `undefined` if there is none. */
  hostOf(cluster: string): Host | undefined;
  /**
   * Subscribes to changes of hosts. `listener` receives the name of each cluster whose host was added, replaced or
   * removed. Returns a function that unsubscribes. Optional.
   */
  onHostReplaced?(listener: (cluster: string) => void): () => void;
  /** Receives the time from an instance's creation until it was first Ready. Optional. */
  onReady?(project: string, milliseconds: number): void;
  readonly clusters: ResourceClient<FieldsOf<typeof clusterKind>>;
  readonly projects: ResourceClient<FieldsOf<typeof projectKind>>;
  /** The client for Event objects of the core API group. */
  readonly events: ResourceClient;
  /** The instances that this process reconciles. Optional; defaults to all. */
  readonly share?: WorkShare | undefined;
  readonly observer?: ControllerObserver | undefined;
  readonly log: Log;
}

/**
 * Maximum numbers of concurrent reconciles: 40 per cluster, and 32 per project on a cluster. This is enough for writes
 * to share group commits. A slow cluster delays only its own instances. If the reconciles of a project take long, for
 * example to render templates, some workers remain for other projects.
 */
const reconcilesPerCluster = 40;
const reconcilesPerProject = 32;

/** The part of the controller that depends on the kind of instances. */
export interface ManagedInstances {
  /** The name of the controller, for logs. */
  readonly name: string;
  driverOf(host: Host): InstanceDriver;
  contents(hostOf: (cluster: string) => Host | undefined): InstanceContents;
  /** The fields of a project's spec that affect its instances on hosts, in addition to `hostIsolation`. */
  readonly projectFields: readonly string[];
}

const managedVirtualClusters: ManagedInstances = {
  name: 'instances',
  driverOf: (host) => host,
  contents: virtualClusterContents,
  projectFields: [],
};

export function managedSpaces(options: SpaceContentsOptions): ManagedInstances {
  return {
    name: 'spaces',
    driverOf: (host) => host.spaces,
    contents: () => spaceContents(options),
    projectFields: ['members'],
  };
}

/**
 * Installs, updates and removes the virtual clusters or spaces that instances describe. Each reconcile does what is
 * possible at that time, and ends with at most one write to the instance: its location, its status or its finalizer.
 */
export function startInstanceController(options: InstanceControllerOptions): RunningController {
  const { instances, activity, clock, log } = options;
  const { manages = managedVirtualClusters } = options;
  const index = new InstanceIndex();
  const recorder = createEventRecorder({ events: options.events, component: 'flotilla', clock, log });
  const bindings = new RoleBindingChecks(clock);
  const hosts = new HostsWithTimeouts(options.hostOf, clock);
  const dependencies: InstanceDependencies = {
    ...options,
    driverOf: (cluster) => driverIn(manages, hosts.get(cluster)),
    contents: manages.contents((cluster) => hosts.get(cluster)),
    events: recorder,
    bindings,
  };
  const tracker = new ActivityTracker(activity, clock);
  const firstReady = new FirstReadyTimer(clock, (project, milliseconds) => options.onReady?.(project, milliseconds));
  let add: (key: string) => void = () => {};
  const addAll = (keys: readonly string[]) => {
    for (const key of keys) add(key);
  };
  const subscriptions = hostSubscriptions(options, manages, index, addAll);
  const unsubscribeHosts = options.onHostReplaced?.((cluster) => {
    subscriptions.update(cluster);
    addAll(index.onCluster(cluster));
  });

  const records = new InstanceRecords({ index, subscriptions, tracker, bindings, firstReady });
  const controller = startController({
    name: manages.name,
    share: options.share,
    observer: options.observer,
    onForeignKey(key, [informer]) {
      if (informer.get(...splitKey(key)) === undefined) records.forget(key);
    },
    clock,
    log,
    workers: reconcilesPerCluster,
    laneOf: (key) => index.clusterOf(key),
    groups: { groupOf: (key) => splitKey(key)[0], concurrency: reconcilesPerProject },
    sources: [{ resource: trimmedInstanceClient(instances), keys: (instance) => [records.put(instance)] }],
    uncachedSources: relatedSources(options, manages, index),
    async otherSources(enqueue, signal) {
      add = enqueue;
      const addUid = (uid: string) => enqueueByUid(uid, index, enqueue);
      const stopChecks = bindings.follow(activity, addUid);
      await tracker.follow(addUid, signal);
      stopChecks();
    },
    async reconcile(key, _informers, signal) {
      const instance = await find(instances, key, signal);
      if (instance === undefined) {
        records.forget(key);
        return undefined;
      }
      const snapshot = snapshotOf(instance);
      // Update the subscription, because the host may have become available without an event.
      subscriptions.update(snapshot.cluster);
      if (instance.metadata.deletionTimestamp !== undefined)
        return await removeInstanceStep(snapshot, dependencies, signal);
      if (snapshot.cluster === '') return await scheduleStep(snapshot, dependencies, signal);
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

interface InstanceRecordsParts {
  readonly index: InstanceIndex;
  readonly subscriptions: HostSubscriptions;
  readonly tracker: ActivityTracker;
  readonly bindings: RoleBindingChecks;
  readonly firstReady: FirstReadyTimer;
}

/** The controller's in-memory records about instances. */
class InstanceRecords {
  readonly #parts: InstanceRecordsParts;

  constructor(parts: InstanceRecordsParts) {
    this.#parts = parts;
  }

  /** Records an instance as it is stored now. Returns its key. */
  put(instance: Instance): string {
    const { index, subscriptions, firstReady } = this.#parts;
    const key = instanceKey(instance);
    const clusterBefore = index.clusterOf(key);
    if (index.put(instance)) firstReady.start(instance.metadata.uid ?? '');
    subscriptions.update(clusterBefore);
    subscriptions.update(index.clusterOf(key));
    return key;
  }

  /** Removes the records of an instance that was deleted, or that another process now reconciles. */
  forget(key: string): void {
    const { index, subscriptions, tracker, bindings, firstReady } = this.#parts;
    const cluster = index.clusterOf(key);
    const uid = index.remove(key) ?? '';
    subscriptions.update(cluster);
    tracker.forget(uid);
    bindings.forget(uid);
    firstReady.forget(uid);
  }
}

/** Returns the sources of objects that affect instances: their templates, clusters and projects. */
function relatedSources(
  { templates, clusters, projects }: Pick<InstanceControllerOptions, 'templates' | 'clusters' | 'projects'>,
  manages: ManagedInstances,
  index: InstanceIndex,
): readonly WatchSource[] {
  const isolations = new IsolationChanges(index, manages.projectFields);
  const unscheduled = () => index.onCluster('');
  return [
    { resource: templates, keys: ({ metadata }) => index.withTemplate(metadata.name ?? '') },
    { resource: clusters, keys: (cluster) => [...unscheduled(), ...isolations.affectedByCluster(cluster)] },
    { resource: projects, keys: (project) => [...unscheduled(), ...isolations.affectedByProject(project)] },
  ];
}

/** Adds the instance with this uid to the queue. Returns false if there is no such instance. */
function enqueueByUid(uid: string, index: InstanceIndex, enqueue: (key: string) => void): boolean {
  const key = index.keyOfUid(uid);
  if (key !== undefined) enqueue(key);
  return key !== undefined;
}

/** Returns the subscriptions to the hosts of the clusters that have instances in the index. */
function hostSubscriptions(
  { hostOf }: Pick<InstanceControllerOptions, 'hostOf'>,
  manages: ManagedInstances,
  index: InstanceIndex,
  addAll: (keys: readonly string[]) => void,
): HostSubscriptions {
  return new HostSubscriptions({
    hasInstances: (cluster) => cluster !== '' && index.hasInstancesOn(cluster),
    driverOf: (cluster) => driverIn(manages, hostOf(cluster)),
    listenerOf: (cluster) => ({
      onChange: ({ namespace }) => addAll(index.inHostNamespace(cluster, namespace)),
      onGap: () => addAll(index.onCluster(cluster)),
    }),
  });
}

function driverIn(manages: ManagedInstances, host: Host | undefined): InstanceDriver | undefined {
  return host && manages.driverOf(host);
}

async function find(
  instances: InstanceDependencies['instances'],
  key: string,
  signal: AbortSignal,
): Promise<Instance | undefined> {
  const [namespace, name] = splitKey(key);
  return await undefinedIfNotFound(instances.get({ namespace, name }, { signal }));
}

function splitKey(key: string): [namespace: string, name: string] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash), key.slice(slash + 1)];
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
  snapshot: InstanceSnapshot,
  { tracker, firstReady }: { readonly tracker: ActivityTracker; readonly firstReady: FirstReadyTimer },
  dependencies: InstanceDependencies,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { object, cluster } = snapshot;
  const { sleepMode, now } = await currentSleepMode(snapshot, dependencies);
  const isStale = isActivityStale(snapshot, sleepMode);
  tracker.update(snapshot, sleepMode, isStale);
  if (sleepMode.isExpired && (await expireStep(snapshot, dependencies, signal))) return undefined;
  const draft = new StatusDraft(object, now);
  if (isStale && sleepMode.lastActivity !== undefined) draft.set('lastActivity', timestamp(sleepMode.lastActivity));
  draft.setCondition('Scheduled', 'True', { reason: 'Placed', message: `Assigned to cluster "${cluster}".` });
  const definition = await renderTemplateStep(snapshot, draft, {
    findTemplate: (name) => undefinedIfNotFound(dependencies.templates.get({ name }, { signal })),
    hostAccess: dependencies.hostAccess ?? defaultHostAccessSettings,
    render: async (source) => await (dependencies.render ?? renderDefinition)(source),
  });
  const context: StepContext = { snapshot, draft, dependencies, signal };
  if (draft.hasNewTemplateResult && (await templateMetadataStep(context, definition ?? {}))) return undefined;
  const finishReport = reportSlowInstall(snapshot, dependencies, signal);
  try {
    await runInstanceStep(context, definition, sleepMode);
  } catch (error) {
    await finishReport();
    if (!signal.aborted) await writeStatus(dependencies.instances, object, draft, signal);
    throw error;
  }
  await finishReport();
  await writeStatus(dependencies.instances, object, draft, signal);
  await sleepingSinceStep(context, now);
  firstReady.onReconciled(snapshot, draft.phase);
  const delay = sleepMode.requeueAfterMilliseconds;
  return delay === undefined ? undefined : { requeueAfterMilliseconds: delay };
}
