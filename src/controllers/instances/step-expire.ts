import { deleteAfterAnnotation, nonDeletableAnnotation } from '../../api/naming.ts';
import { unlessGone } from '../runtime/unless-gone.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';

/**
 * Deletes an instance whose auto-delete period has passed without use. Returns false if it is protected from deletion.
 */
export async function expireStep(
  snapshot: InstanceFacts,
  dependencies: InstanceNeeds,
  signal: AbortSignal,
): Promise<boolean> {
  const { object, namespace, name, uid } = snapshot;
  if (snapshot.annotation(nonDeletableAnnotation) === 'true') return false;
  const message = `Deleting the instance because it was not used for the period in the annotation ${deleteAfterAnnotation}.`;
  dependencies.events.record(object, 'Normal', 'Expired', message);
  await unlessGone(dependencies.instances.delete({ namespace, name }, { uid, signal }));
  return true;
}
