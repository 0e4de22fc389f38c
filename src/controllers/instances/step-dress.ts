import type { TemplateDefinition } from '../../api/management/v1/template-definition.ts';
import { abandonAnnotation, importedAnnotation } from '../../api/naming.ts';
import { StatusError } from '../../api/status.ts';
import { unlessGone } from '../runtime/unless-gone.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';
import type { StatusDraft } from './status-draft.ts';

/** Notes that are an admin's to make; a template may come from somebody else. */
const refused = [abandonAnnotation, importedAnnotation];

/**
 * Gives the instance the labels and annotations of its template, when that was rendered anew: what somebody takes off
 * later stays off, and what is there already stays as it is. True: it was written, and is to be looked at again.
 */
export async function dressStep(
  { object, namespace, name, uid }: InstanceFacts,
  definition: TemplateDefinition,
  draft: StatusDraft,
  needs: InstanceNeeds,
  signal: AbortSignal,
): Promise<boolean> {
  const { labels = {}, annotations = {} } = definition.instanceTemplate?.metadata ?? {};
  const missing = {
    labels: missingOf(labels, object.metadata.labels),
    annotations: missingOf(annotations, object.metadata.annotations),
  };
  if (Object.keys(missing.labels).length + Object.keys(missing.annotations).length === 0) return false;
  try {
    await unlessGone(needs.instances.patch({ namespace, name }, { metadata: { uid, ...missing } }, { signal }));
    return true;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 422) throw error;
    const message = `The labels and annotations that the template has for the instance are not valid: ${error.message}`;
    draft.condition('TemplateResolved', 'False', { reason: 'MetadataRefused', message });
    return false;
  }
}

function missingOf(wanted: Readonly<Record<string, string>>, present: Readonly<Record<string, string>> = {}) {
  const entries = Object.entries(wanted).filter(([name]) => !Object.hasOwn(present, name) && !refused.includes(name));
  return Object.fromEntries(entries);
}
