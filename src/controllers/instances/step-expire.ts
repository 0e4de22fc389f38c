import { deleteAfterAnnotation, nonDeletableAnnotation } from '../../api/naming.ts';
import { unlessGone } from '../runtime/unless-gone.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';

/** Deletes an instance that nobody has used for as long as it says itself. False: it is protected, and stays. */
export async function expireStep(facts: InstanceFacts, needs: InstanceNeeds, signal: AbortSignal): Promise<boolean> {
  const { object, namespace, name, uid } = facts;
  if (facts.annotation(nonDeletableAnnotation) === 'true') return false;
  const message = `Nobody has used it for as long as the annotation ${deleteAfterAnnotation} says.`;
  needs.events.record(object, 'Normal', 'Expired', message);
  await unlessGone(needs.instances.delete({ namespace, name }, { uid, signal }));
  return true;
}
