import type { TemplateDefinition } from '../../../api/management/v1/template-definition.ts';
import { abandonAnnotation, importedAnnotation } from '../../../api/naming.ts';
import { StatusError } from '../../../api/status.ts';
import { ignoreNotFound } from '../../runtime/ignore-not-found.ts';
import type { StepContext } from '../instance-dependencies.ts';

/**
 * Annotations that only an administrator may set. Templates cannot set them, because users who are not administrators
 * may be allowed to write templates.
 */
const adminAnnotations = [abandonAnnotation, importedAnnotation];

/**
 * Adds the template's labels and annotations to the instance if the template was just rendered with a new result.
 * Existing values on the instance are kept. A label that a user removes later is not added again. Returns true if the
 * instance was written; the write triggers another reconcile.
 */
export async function templateMetadataStep(
  { snapshot, draft, dependencies, signal }: StepContext,
  definition: TemplateDefinition,
): Promise<boolean> {
  const { object, namespace, name, uid } = snapshot;
  const { labels = {}, annotations = {} } = definition.instanceTemplate?.metadata ?? {};
  const missing = {
    labels: missingEntries(labels, object.metadata.labels),
    annotations: missingEntries(annotations, object.metadata.annotations),
  };
  if (Object.keys(missing.labels).length + Object.keys(missing.annotations).length === 0) return false;
  try {
    await ignoreNotFound(
      dependencies.instances.patch({ namespace, name }, { metadata: { uid, ...missing } }, { signal }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 422) throw error;
    const message = `The labels or annotations that the template sets on the instance are invalid: ${error.message}`;
    draft.setCondition('TemplateResolved', 'False', { reason: 'MetadataRefused', message });
    return false;
  }
}

function missingEntries(desired: Readonly<Record<string, string>>, existing: Readonly<Record<string, string>> = {}) {
  const entries = Object.entries(desired).filter(
    ([name]) => !Object.hasOwn(existing, name) && !adminAnnotations.includes(name),
  );
  return Object.fromEntries(entries);
}
