import { deleteAfterAnnotation, nonDeletableAnnotation } from '../../../api/naming.ts';
import { ignoreNotFound } from '../../runtime/ignore-not-found.ts';
import type { InstanceDependencies } from '../instance-dependencies.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';

/**
 * Deletes an instance that was not used for its auto-delete period. Returns false if the instance is protected from
 * deletion.
 */
export async function expireStep(
  snapshot: InstanceSnapshot,
  dependencies: InstanceDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const { object, namespace, name, uid } = snapshot;
  if (snapshot.annotation(nonDeletableAnnotation) === 'true') return false;
  const message = `Deleting the instance because it was not used for the period in the annotation ${deleteAfterAnnotation}.`;
  dependencies.events.record(object, 'Normal', 'Expired', message);
  const { resourceVersion = '' } = object.metadata;
  // Pass the resourceVersion. The delete then fails if the settings of the instance have changed since they were read.
  await ignoreNotFound(dependencies.instances.delete({ namespace, name }, { uid, resourceVersion, signal }));
  return true;
}
