import { equalJson, type JsonObject } from '@flotilla/json';
import { setCondition } from '../../api/conditions.ts';
import { isGracePeriodOver } from '../../api/grace-period.ts';
import type { Project, projectKind } from '../../api/management/v1/project.ts';
import type { KubeObject, TypedObject } from '../../api/meta.ts';
import { cleanupFinalizer, projectNamespace, projectOfNamespace } from '../../api/naming.ts';
import type { FieldsOf } from '../../api/resource.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type ReconcileResult, type RunningController, startController } from '../runtime/controller.ts';
import type { ControllerObserver } from '../runtime/controller-observer.ts';
import { ignoreNotFound } from '../runtime/ignore-not-found.ts';
import type { WorkShare } from '../runtime/work-share.ts';
import { type InstanceUsage, quotaStatus } from './quota-status.ts';

export interface ProjectControllerOptions {
  readonly projects: ResourceClient<FieldsOf<typeof projectKind>>;
  /** Clients for the kinds of instances. Instances are deleted before the other contents of a project. */
  readonly instances: readonly ResourceClient[];
  /**
   * Clients for the other kinds in a project's namespace whose objects are deleted with the project: leases, Secrets,
   * ConfigMaps, events.
   */
  readonly contents: readonly ResourceClient[];
  /** Returns the number of instances in a project, per kind and per owner. */
  usage(project: string): readonly InstanceUsage[];
  /** The projects that this process reconciles. Optional; defaults to all. */
  readonly share?: WorkShare | undefined;
  readonly observer?: ControllerObserver | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Retry interval, in milliseconds, for a deleted project that has no instances, but whose namespace still contains
 * other objects.
 */
const retryMilliseconds = 1_000;
/**
 * Maximum time, in milliseconds, between checks during a grace period. The limit is needed because the wall clock may
 * be changed.
 */
const maxCheckIntervalMs = 30_000;

/**
 * Maintains the quota usage in the status of projects. If a project is deleted, deletes its instances, then all other
 * objects in its namespace, and then removes the finalizer of the project. The write that removes the project also
 * removes the namespace.
 */
export function startProjectController(options: ProjectControllerOptions): RunningController {
  const { projects, instances, contents, usage, clock, log } = options;
  return startController({
    name: 'projects',
    share: options.share,
    observer: options.observer,
    clock,
    log,
    sources: [{ resource: projects, keys: (project) => [project.metadata.name ?? ''] }],
    uncachedSources: instances.map((resource) => ({
      resource,
      keys(instance) {
        const project = projectOfNamespace(instance.metadata.namespace ?? '');
        return project === undefined ? [] : [project];
      },
    })),
    async reconcile(name, [informer], signal) {
      const project = informer.get('', name);
      if (project === undefined) return undefined;
      const context: ProjectReconcile = { name, project, usage, projects, instances, contents, clock, signal };
      return project.metadata.deletionTimestamp === undefined ? reportQuotas(context) : removeProject(context);
    },
  });
}

interface ProjectReconcile {
  readonly name: string;
  readonly project: Project;
  usage(project: string): readonly InstanceUsage[];
  readonly projects: ProjectControllerOptions['projects'];
  readonly instances: ProjectControllerOptions['instances'];
  readonly contents: readonly ResourceClient[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function reportQuotas(context: ProjectReconcile): Promise<ReconcileResult> {
  const quotas = quotaStatus(context.project, () => context.usage(context.name));
  if (equalJson(context.project.status?.quotas, quotas)) return undefined;
  await patchStatus(context, { quotas: quotas ?? null });
  return undefined;
}

async function removeProject(context: ProjectReconcile): Promise<ReconcileResult> {
  // The project works normally during its grace period. Nothing is deleted before the grace period is over.
  const now = context.clock.now();
  if (!isGracePeriodOver(context.project, now)) {
    const left = Date.parse(context.project.metadata.deletionTimestamp ?? '') - now;
    return { requeueAfterMilliseconds: Math.min(left, maxCheckIntervalMs) };
  }
  const remainingInstances: KubeObject[] = [];
  for (const kind of context.instances) {
    const objects = await listObjects(context, kind);
    await deleteAll(context, kind, objects);
    remainingInstances.push(...objects);
  }
  if (remainingInstances.length > 0) {
    const names = shownNames(remainingInstances.map(({ metadata }) => metadata.name ?? ''));
    const message = `waiting for ${remainingInstances.length} instance(s) to be deleted: ${names}`;
    await reportRemaining(context, 'InstancesRemaining', message);
    return undefined;
  }
  for (const kind of context.contents) await deleteAll(context, kind, await listObjects(context, kind));
  const remaining = (await Promise.all(context.contents.map((kind) => listObjects(context, kind)))).flat();
  if (remaining.length > 0) {
    const names = shownNames(remaining.map(({ kind, metadata }) => `${kind} ${metadata.name ?? ''}`));
    await reportRemaining(
      context,
      'ObjectsRemaining',
      `waiting for ${remaining.length} object(s) to be deleted: ${names}`,
    );
    return { requeueAfterMilliseconds: retryMilliseconds };
  }
  await dropFinalizer(context);
  return undefined;
}

/**
 * Maximum number of concurrent deletions. With this number, several deletions share one group commit, but other writers
 * are not delayed.
 */
const deleteBatchSize = 32;

/** Lists all objects of a kind. The list is final, because the terminating namespace accepts no new objects. */
async function listObjects<Fields extends JsonObject>(
  { name, signal }: ProjectReconcile,
  kind: ResourceClient<Fields>,
): Promise<readonly TypedObject<Fields>[]> {
  return (await kind.list({ namespace: projectNamespace(name), signal })).items;
}

async function deleteAll(
  { signal }: ProjectReconcile,
  kind: ResourceClient,
  objects: readonly KubeObject[],
): Promise<void> {
  const left = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  for (let start = 0; start < left.length; start += deleteBatchSize) {
    await Promise.all(
      left
        .slice(start, start + deleteBatchSize)
        .map(({ metadata: { name = '', namespace = '', uid = '' } }) =>
          ignoreNotFound(kind.delete({ name, namespace }, { uid, signal })),
        ),
    );
  }
}

/** Returns a text with the first of these names, for the message of a condition. */
function shownNames(names: readonly string[]): string {
  return `${[...names].sort().slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`;
}

/** Sets a condition of the project that names the objects that block its deletion. */
async function reportRemaining(context: ProjectReconcile, reason: string, message: string): Promise<void> {
  const before = context.project.status?.conditions ?? [];
  const conditions = setCondition(
    before,
    {
      type: 'ContentDeleted',
      status: 'False',
      reason,
      message,
      observedGeneration: context.project.metadata.generation ?? 0,
    },
    context.clock.now(),
  );
  if (conditions !== before) await patchStatus(context, { conditions });
}

async function patchStatus(
  context: ProjectReconcile,
  status: Parameters<ResourceClient['patchStatus']>[1],
): Promise<void> {
  await ignoreNotFound(context.projects.patchStatus({ name: context.name }, { status }, { signal: context.signal }));
}

async function dropFinalizer({ name, project, projects, signal }: ProjectReconcile): Promise<void> {
  const { finalizers = [], resourceVersion = '' } = project.metadata;
  if (!finalizers.includes(cleanupFinalizer)) return;
  const remainingFinalizers = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
  await ignoreNotFound(
    projects.patch({ name }, { metadata: { resourceVersion, finalizers: remainingFinalizers } }, { signal }),
  );
}
