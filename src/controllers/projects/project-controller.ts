import { setCondition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/meta.ts';
import { cleanupFinalizer, projectNamespace, projectOfNamespace } from '../../api/naming.ts';
import { StatusError } from '../../api/status.ts';
import type { Informer } from '../../client/informer.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Outcome, type RunningController, startController } from '../runtime/controller.ts';

export interface ProjectControllerOptions {
  readonly projects: ResourceClient;
  readonly instances: ResourceClient;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Deletes a project from the inside out: first its instances, and when the last of them is gone the finalizer that
 * held the project. Its namespace goes with it, in the same step. While something is left, the project's status says
 * what.
 */
export function startProjectController(options: ProjectControllerOptions): RunningController {
  const { projects, instances, clock, log } = options;
  return startController({
    name: 'projects',
    clock,
    log,
    sources: [
      { resource: projects, keys: (project) => [project.metadata.name ?? ''] },
      {
        resource: instances,
        keys(instance) {
          const project = projectOfNamespace(instance.metadata.namespace ?? '');
          return project === undefined ? [] : [project];
        },
      },
    ],
    reconcile: (name, [projectCopies, instanceCopies], signal) =>
      reconcileProject({ name, projectCopies, instanceCopies, projects, instances, clock, signal }),
  });
}

interface Step {
  readonly name: string;
  readonly projectCopies: Informer | undefined;
  readonly instanceCopies: Informer | undefined;
  readonly projects: ResourceClient;
  readonly instances: ResourceClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function reconcileProject(step: Step): Promise<Outcome> {
  const project = step.projectCopies?.get('', step.name);
  if (project?.metadata.deletionTimestamp === undefined) return undefined;
  // A grace period is time in which the project still works; only when it is over is anything taken down.
  const left = Date.parse(project.metadata.deletionTimestamp) - step.clock.now();
  if (left > 0) return { againAfterMilliseconds: left };
  const remaining = [...(step.instanceCopies?.all() ?? [])].filter(
    (instance) => instance.metadata.namespace === projectNamespace(step.name),
  );
  if (remaining.length > 0) {
    for (const instance of remaining) await deleteInstance(step, instance);
    await reportRemaining(step, project, remaining);
    return undefined;
  }
  await dropFinalizer(step, project);
  return undefined;
}

async function deleteInstance(step: Step, instance: KubeObject): Promise<void> {
  if (instance.metadata.deletionTimestamp !== undefined) return;
  const { name = '', namespace = '', uid = '' } = instance.metadata;
  await unlessGone(step.instances.delete({ name, namespace }, { uid, signal: step.signal }));
}

/** The condition that names what blocks, so that nobody has to search for it. */
async function reportRemaining(step: Step, project: KubeObject, remaining: readonly KubeObject[]): Promise<void> {
  const names = remaining.map((instance) => instance.metadata.name ?? '').sort();
  const shown = names.slice(0, 10).join(', ');
  const message = `waiting for ${names.length} virtual cluster instance(s) to be gone: ${shown}${names.length > 10 ? ', …' : ''}`;
  const status = (project['status'] ?? {}) as { conditions?: Parameters<typeof setCondition>[0] };
  const conditions = setCondition(
    status.conditions ?? [],
    {
      type: 'ContentDeleted',
      status: 'False',
      reason: 'InstancesRemaining',
      message,
      observedGeneration: project.metadata.generation ?? 0,
    },
    step.clock.now(),
  );
  if (conditions === status.conditions) return;
  await unlessGone(step.projects.patchStatus({ name: step.name }, { status: { conditions } }, { signal: step.signal }));
}

async function dropFinalizer(step: Step, project: KubeObject): Promise<void> {
  const finalizers = project.metadata.finalizers ?? [];
  if (!finalizers.includes(cleanupFinalizer)) return;
  const { resourceVersion = '' } = project.metadata;
  await unlessGone(
    step.projects.patch(
      { name: step.name },
      { metadata: { resourceVersion, finalizers: finalizers.filter((name) => name !== cleanupFinalizer) } },
      { signal: step.signal },
    ),
  );
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
