import type { JsonObject, JsonValue } from '@flotilla/json';
import type { FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { immutableStruct, objectAt } from '../rules/checks.ts';
import { templateMetadataErrors } from '../rules/volumes/claim-template-rules.ts';
import { claimSpecErrors } from './claim-spec-rules.ts';
import { compileSelectors } from './device-selectors.ts';

/** Returns the errors of a template for claims. */
export async function claimTemplateErrors(object: KubeObject): Promise<FieldError[]> {
  const template = objectAt(object as JsonValue, 'spec');
  const spec = objectAt(template, 'spec');
  const faults = await compileSelectors(spec);
  return [...templateMetadataErrors(template, 'spec'), ...claimSpecErrors(spec, 'spec.spec', faults)];
}

export async function claimTemplateUpdateErrors(object: KubeObject, old: KubeObject): Promise<FieldError[]> {
  return [...(await claimTemplateErrors(object)), ...specChangeErrors(object, old)];
}

/** Returns an error if the spec has changed. */
export function specChangeErrors(object: KubeObject, old: KubeObject): Iterable<FieldError> {
  const root = object as JsonObject;
  return immutableStruct('spec')(root, { path: '', parent: root, root, old: old as JsonObject });
}
