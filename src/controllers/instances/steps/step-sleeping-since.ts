import { sleepingSinceAnnotation } from '../../../api/naming.ts';
import { ignoreNotFound } from '../../runtime/ignore-not-found.ts';
import type { StepContext } from '../instance-dependencies.ts';

/**
 * Records the start of the sleep in an annotation. Clients recognize a sleeping instance by this annotation. Removes
 * the annotation when the instance is awake. The write triggers another reconcile, in which this step writes nothing.
 */
export async function sleepingSinceStep(
  { snapshot, draft, dependencies, signal }: StepContext,
  now: number,
): Promise<void> {
  const isAsleep = draft.phase === 'Sleeping';
  if (isAsleep === (snapshot.annotation(sleepingSinceAnnotation) !== '')) return;
  const { namespace, name, uid } = snapshot;
  const annotations = { [sleepingSinceAnnotation]: isAsleep ? String(Math.floor(now / 1000)) : null };
  await ignoreNotFound(
    dependencies.instances.patch({ namespace, name }, { metadata: { uid, annotations } }, { signal }),
  );
}
