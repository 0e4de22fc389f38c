import { type Condition, setCondition } from '../../api/conditions.ts';
import { isGraceOver } from '../../api/grace-period.ts';
import type { KubeObject } from '../../api/meta.ts';
import { cleanupFinalizer, projectNamespace, projectOfNamespace } from '../../api/naming.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import { objectAt } from '../../lib/json-path.ts';
import { equalJson } from '../../lib/json-value.ts';
import type { Log } from '../../lib/log.ts';
import { type Outcome, type RunningController, startController } from '../runtime/controller.ts';
import { unlessGone } from '../runtime/unless-gone.ts';
import { type InstanceUsage, quotaStatus } from './quota-status.ts';

export interface ProjectControllerOptions {
  readonly projects: ResourceClient;
  readonly instances: ResourceClient;
  /** The other kinds that live in a project's namespace and end with it: leases, events. */
  readonly contents: readonly ResourceClient[];
  /** What is used of the project's quotas. */
  usage(project: string): InstanceUsage;
  readonly clock: Clock;
  readonly log: Log;
}

/** How soon a namespace is looked at again in which something other than an instance is slow to go. */
const lookAgainMilliseconds = 1_000;
/** In a long grace period it is looked again from time to time: somebody may have set the clock. */
const longestRest = 30_000;

/**
 * Keeps what a project's status says of its quotas, and deletes a project from the inside out: first its instances,
 * then whatever else is in its namespace, and when nothing is left the finalizer that held the project. The namespace
 * goes with it, in the same step.
 */
export function startProjectController(options: ProjectControllerOptions): RunningController {
  const { projects, instances, contents, usage, clock, log } = options;
  return startController({
    name: 'projects',
    clock,
    log,
    sources: [{ resource: projects, keys: (project) => [project.metadata.name ?? ''] }],
    followed: [
      {
        resource: instances,
        keys(instance) {
          const project = projectOfNamespace(instance.metadata.namespace ?? '');
          return project === undefined ? [] : [project];
        },
      },
    ],
    async reconcile(name, [projectCopies], signal) {
      const project = projectCopies?.get('', name);
      if (project === undefined) return undefined;
      const step: Step = { name, project, usage, projects, instances, contents, clock, signal };
      return project.metadata.deletionTimestamp === undefined ? reportQuotas(step) : takeDown(step);
    },
  });
}

interface Step {
  readonly name: string;
  readonly project: KubeObject;
  usage(project: string): InstanceUsage;
  readonly projects: ResourceClient;
  readonly instances: ResourceClient;
  readonly contents: readonly ResourceClient[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function reportQuotas(step: Step): Promise<Outcome> {
  const quotas = quotaStatus(step.project, () => step.usage(step.name));
  if (equalJson(objectAt(step.project, 'status', 'quotas'), quotas)) return undefined;
  await patchStatus(step, { quotas: quotas ?? null });
  return undefined;
}

async function takeDown(step: Step): Promise<Outcome> {
  // A grace period is time in which the project still works; only when it is over is anything taken down.
  const now = step.clock.now();
  if (!isGraceOver(step.project, now)) {
    const left = Date.parse(step.project.metadata.deletionTimestamp ?? '') - now;
    return { againAfterMilliseconds: Math.min(left, longestRest) };
  }
  const own = await contentOf(step, step.instances);
  if (own.length > 0) {
    await deleteAll(step, step.instances, own);
    await reportRemaining(step, own);
    return undefined;
  }
  for (const kind of step.contents) await deleteAll(step, kind, await contentOf(step, kind));
  for (const kind of step.contents) {
    if ((await contentOf(step, kind)).length > 0) return { againAfterMilliseconds: lookAgainMilliseconds };
  }
  await dropFinalizer(step);
  return undefined;
}

/** Enough for writers to share a flush, too few to be felt by others. */
const deletesTogether = 32;

/** The namespace takes nothing new any more, so what is not listed now will not come. */
async function contentOf({ name, signal }: Step, kind: ResourceClient): Promise<readonly KubeObject[]> {
  return (await kind.list({ namespace: projectNamespace(name), signal })).items;
}

async function deleteAll({ signal }: Step, kind: ResourceClient, objects: readonly KubeObject[]): Promise<void> {
  const left = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  for (let start = 0; start < left.length; start += deletesTogether) {
    await Promise.all(
      left
        .slice(start, start + deletesTogether)
        .map(({ metadata: { name = '', namespace = '', uid = '' } }) =>
          unlessGone(kind.delete({ name, namespace }, { uid, signal })),
        ),
    );
  }
}

/** The condition names what blocks, so that nobody has to search for it. */
async function reportRemaining(step: Step, own: readonly KubeObject[]): Promise<void> {
  const names = own.map((instance) => instance.metadata.name ?? '').sort();
  const shown = `${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`;
  const before = (objectAt(step.project, 'status')?.conditions ?? []) as Condition[];
  const conditions = setCondition(
    before,
    {
      type: 'ContentDeleted',
      status: 'False',
      reason: 'InstancesRemaining',
      message: `waiting for ${names.length} virtual cluster instance(s) to be gone: ${shown}`,
      observedGeneration: step.project.metadata.generation ?? 0,
    },
    step.clock.now(),
  );
  if (conditions !== before) await patchStatus(step, { conditions });
}

async function patchStatus(step: Step, status: Parameters<ResourceClient['patchStatus']>[1]): Promise<void> {
  await unlessGone(step.projects.patchStatus({ name: step.name }, { status }, { signal: step.signal }));
}

async function dropFinalizer({ name, project, projects, signal }: Step): Promise<void> {
  const { finalizers = [], resourceVersion = '' } = project.metadata;
  if (!finalizers.includes(cleanupFinalizer)) return;
  const kept = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
  await unlessGone(projects.patch({ name }, { metadata: { resourceVersion, finalizers: kept } }, { signal }));
}
