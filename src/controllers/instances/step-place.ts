import { textAt } from '../../lib/json-path.ts';
import type { Outcome } from '../runtime/controller.ts';
import { unlessGone } from '../runtime/unless-gone.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';
import { StatusDraft } from './status-draft.ts';
import { writeStatus } from './write-status.ts';

/** Changes of clusters and projects bring those without a place back here; this is for what they do not tell. */
const lookAgainMilliseconds = 30_000;

/** An instance for which there was no cluster when it was made: as soon as there is one, it is written into its spec. */
export async function placeStep(facts: InstanceFacts, needs: InstanceNeeds, signal: AbortSignal): Promise<Outcome> {
  const { object, namespace, name, project } = facts;
  const cluster = needs.chooseCluster(project);
  if (cluster !== undefined) {
    const { uid = '', resourceVersion = '' } = object.metadata;
    const patch = { metadata: { uid, resourceVersion }, spec: { clusterRef: { cluster } } };
    await unlessGone(needs.instances.patch({ namespace, name }, patch, { signal }));
    needs.events.record(object, 'Normal', 'Scheduled', `It runs on the cluster ${cluster}.`);
    return undefined;
  }
  const why = {
    reason: 'NoCluster',
    message:
      `There is no cluster that the project ${project} allows, that can be reached and that takes new virtual clusters. ` +
      'Connect one or allow one in the project; it is placed by itself then.',
  };
  const draft = new StatusDraft(object, needs.clock.now());
  draft.condition('Scheduled', 'False', why);
  draft.conclude('Pending', why);
  if (textAt(object, 'status', 'reason') !== why.reason) {
    needs.events.record(object, 'Warning', why.reason, why.message);
  }
  await writeStatus(needs.instances, object, draft, signal);
  return { againAfterMilliseconds: lookAgainMilliseconds };
}
