import { textAt } from '../../lib/json-path.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';
import { StatusDraft } from './status-draft.ts';
import { writeStatus } from './write-status.ts';

/** What is done in less is not told to be on its way: one write less for each instance of the built-in cluster. */
const momentMilliseconds = 100;

/**
 * A new instance whose install takes its time is Pending meanwhile, and says so. The function that comes back is to be
 * called, and awaited, before anything else is written to the instance.
 */
export function tellIfSlow(facts: InstanceFacts, needs: InstanceNeeds, signal: AbortSignal): () => Promise<void> {
  const { object, cluster } = facts;
  if (textAt(object, 'status', 'phase') !== '') return async () => {};
  let telling: Promise<void> | undefined;
  const cancel = needs.clock.after(momentMilliseconds, () => {
    const why = { reason: 'Installing', message: `It is being installed on the cluster ${cluster}.` };
    const draft = new StatusDraft(object, needs.clock.now());
    draft.condition('VirtualClusterDeployed', 'False', why);
    draft.conclude('Pending', why);
    // It only tells: whatever is wrong with the store, the write that follows meets it too.
    telling = writeStatus(needs.instances, object, draft, signal).catch(() => {});
  });
  return async () => {
    cancel();
    await telling;
  };
}
