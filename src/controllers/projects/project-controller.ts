import { equalJson, type JsonObject } from '@flotilla/json';
import { setCondition } from '../../api/conditions.ts';
import { isGracePeriodOver } from '../../api/grace-period.ts';
import type { Project, projectKind } from '../../api/management/v1/project.ts';
import type {
  VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject, TypedObject } from '../../api/meta.ts';
import { cleanupFinalizer, projectNamespace, projectOfNamespace } from '../../api/naming.ts';
import type { FieldsOf } from '../../api/resource.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type ReconcileResult, type RunningController, startController } from '../runtime/controller.ts';
import { ignoreNotFound } from '../runtime/ignore-not-found.ts';
import { type InstanceUsage, quotaStatus } from './quota-status.ts';

export interface ProjectControllerOptions {
  readonly projects: ResourceClient<FieldsOf<typeof projectKind>>;
  readonly instances: ResourceClient<FieldsOf<typeof virtualClusterInstanceKind>>;
  /** The other kinds in a project's namespace that are deleted with it: leases, events. */
  readonly contents: readonly ResourceClient[];
  /** The quota usage of a project. */
  usage(project: string): InstanceUsage;
  readonly clock: Clock;
  readonly log: Log;
}

/** Retry interval while objects other than instances remain in the namespace. */
const retryMilliseconds = 1_000;
/** Maximum time between checks during a long grace period: the wall clock may be changed. */
const maxCheckIntervalMs = 30_000;

/**
 * Maintains the quota usage in the status of projects, and deletes the contents of a deleted project: first its
 * instances, then all other objects in its namespace, then the finalizer of the project. The namespace is removed in
 * the same write as the project.
 */
export function startProjectController(options: ProjectControllerOptions): RunningController {
  const { projects, instances, contents, usage, clock, log } = options;
  return startController({
    name: 'projects',
    clock,
    log,
    sources: [{ resource: projects, keys: (project) => [project.metadata.name ?? ''] }],
    uncachedSources: [
      {
        resource: instances,
        keys(instance) {
          const project = projectOfNamespace(instance.metadata.namespace ?? '');
          return project === undefined ? [] : [project];
        },
      },
    ],
    async reconcile(name, [projectCopies], signal) {
      const project = projectCopies.get('', name);
      if (project === undefined) return undefined;
      const context: ProjectReconcile = { name, project, usage, projects, instances, contents, clock, signal };
      return project.metadata.deletionTimestamp === undefined ? reportQuotas(context) : removeProject(context);
    },
  });
}

interface ProjectReconcile {
  readonly name: string;
  readonly project: Project;
  usage(project: string): InstanceUsage;
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
  // The project still works during its grace period; nothing is removed before it is over.
  const now = context.clock.now();
  if (!isGracePeriodOver(context.project, now)) {
    const left = Date.parse(context.project.metadata.deletionTimestamp ?? '') - now;
    return { requeueAfterMilliseconds: Math.min(left, maxCheckIntervalMs) };
  }
  const remainingInstances = await listObjects(context, context.instances);
  if (remainingInstances.length > 0) {
    await deleteAll(context, context.instances, remainingInstances);
    await reportRemaining(context, remainingInstances);
    return undefined;
  }
  for (const kind of context.contents) await deleteAll(context, kind, await listObjects(context, kind));
  for (const kind of context.contents) {
    if ((await listObjects(context, kind)).length > 0) return { requeueAfterMilliseconds: retryMilliseconds };
  }
  await dropFinalizer(context);
  return undefined;
}

/** Enough to share group commits, too few to delay other writers. */
const deleteBatchSize = 32;

/** Lists the objects of a kind. The namespace is terminating and accepts no new objects, so the list is complete. */
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

/** Names the instances that block the deletion in a condition. */
async function reportRemaining(
  context: ProjectReconcile,
  remainingInstances: readonly VirtualClusterInstance[],
): Promise<void> {
  const names = remainingInstances.map((instance) => instance.metadata.name ?? '').sort();
  const shown = `${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`;
  const before = context.project.status?.conditions ?? [];
  const conditions = setCondition(
    before,
    {
      type: 'ContentDeleted',
      status: 'False',
      reason: 'InstancesRemaining',
      message: `waiting for ${names.length} virtual cluster instance(s) to be deleted: ${shown}`,
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
