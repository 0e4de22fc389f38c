import { type KubeObject, timestamp } from '../../api/meta.ts';
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
  /** Calls back when the host of a cluster came, is another one, or went. Returns how to stop. Absent: none ever does. */
  onHostReplaced?(listener: (cluster: string) => void): () => void;
  /** An instance of the project is Ready for the first time, so long after it was created. Absent: nobody counts. */
  onReady?(project: string, milliseconds: number): void;
  readonly clusters: ResourceClient;
  readonly projects: ResourceClient;
  /** Core events. */
  readonly events: ResourceClient;
  readonly log: Log;
}

/** Instances of one cluster that are worked on at the same time: many share a flush, and a slow cluster holds up its own. */
const perCluster = 32;

/**
 * Brings virtual clusters about, keeps them as their instances ask for, and takes them away. Each look at an instance
 * does what can be done now and ends with at most one write to it: its place, its status or its finalizer.
 */
export function startInstanceController(options: InstanceControllerOptions): RunningController {
  const { instances, templates, clusters, projects, activity, clock, log } = options;
  const directory = new InstanceDirectory();
  const recorder = createEventRecorder({ events: options.events, component: 'flotilla', clock, log });
  const bindings = new BindingChecks(clock);
  const hosts = new TimelyHosts(options.hostOf, clock);
  const needs: InstanceNeeds = { ...options, hostOf: (cluster) => hosts.of(cluster), events: recorder, bindings };
  const notes = new ActivityNotes(activity, clock);
  const firstReady = new FirstReady(clock, (project, milliseconds) => options.onReady?.(project, milliseconds));
  let add: (key: string) => void = () => {};
  /** From the first instance on that is there, a cluster tells what happens on it. */
  const follows = new HostFollows({
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
  const stopHosts = options.onHostReplaced?.((cluster) => {
    follows.keep(cluster);
    addAllOn(cluster);
  });

  const unplaced = () => directory.on('');
  const controller = startController({
    name: 'instances',
    clock,
    log,
    workers: perCluster,
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
      { resource: clusters, keys: unplaced },
      { resource: projects, keys: unplaced },
    ],
    async others(adding, signal) {
      add = adding;
      const addUid = (uid: string): boolean => {
        const key = directory.keyOfUid(uid);
        if (key !== undefined) adding(key);
        return key !== undefined;
      };
      const stopChecks = bindings.follow(activity, addUid);
      await notes.follow(addUid, signal);
      stopChecks();
    },
    async reconcile(key, _copies, signal) {
      const instance = await find(instances, key, signal);
      if (instance === undefined) {
        const uid = directory.remove(key) ?? '';
        notes.forget(uid);
        bindings.forget(uid);
        firstReady.forget(uid);
        return undefined;
      }
      const facts = factsOf(instance);
      follows.keep(facts.cluster);
      if (instance.metadata.deletionTimestamp !== undefined) return await takeDownStep(facts, needs, signal);
      if (facts.cluster === '') return await placeStep(facts, needs, signal);
      return await keep(facts, { notes, firstReady }, needs, signal);
    },
  });
  return {
    synced: controller.synced,
    async stop() {
      stopHosts?.();
      await controller.stop();
      await follows.stop();
      await recorder.stop();
    },
  };
}

async function find(instances: ResourceClient, key: string, signal: AbortSignal): Promise<KubeObject | undefined> {
  const slash = key.indexOf('/');
  return await unlessMissing(instances.get({ namespace: key.slice(0, slash), name: key.slice(slash + 1) }, { signal }));
}

async function unlessMissing(call: Promise<KubeObject>): Promise<KubeObject | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  }
}

async function keep(
  facts: InstanceFacts,
  { notes, firstReady }: { readonly notes: ActivityNotes; readonly firstReady: FirstReady },
  needs: InstanceNeeds,
  signal: AbortSignal,
): Promise<Outcome> {
  const { object, cluster } = facts;
  const now = needs.clock.now();
  const sleepMode = sleepModeOf(facts, needs.activity.lastActivity(facts.uid), now);
  const isStale = isActivityStale(facts, sleepMode);
  notes.note(facts, sleepMode, isStale);
  if (sleepMode.deleted && (await expireStep(facts, needs, signal))) return undefined;
  const draft = new StatusDraft(object, now);
  if (isStale && sleepMode.lastActivity !== undefined) draft.set('lastActivity', timestamp(sleepMode.lastActivity));
  draft.condition('Scheduled', 'True', { reason: 'Placed', message: `It runs on the cluster ${cluster}.` });
  const definition = await renderStep(facts, draft, (name) => unlessMissing(needs.templates.get({ name }, { signal })));
  if (draft.rendersAnew && (await dressStep(facts, definition ?? {}, draft, needs, signal))) return undefined;
  const told = tellIfSlow(facts, needs, signal);
  try {
    await runStep(facts, definition, sleepMode, draft, needs, signal);
  } catch (error) {
    await told();
    if (!signal.aborted) await writeStatus(needs.instances, object, draft, signal);
    throw error;
  }
  await told();
  await writeStatus(needs.instances, object, draft, signal);
  firstReady.looked(facts, draft.phase);
  const { againAfterMilliseconds } = sleepMode;
  return againAfterMilliseconds === undefined ? undefined : { againAfterMilliseconds };
}
