import { type FieldError, invalid, required } from '../field-error.ts';
import type { OwnerReference } from '../meta.ts';

/** Validates owner references (rules OWNER-01 to OWNER-03). Does not check whether the owners exist. */
export function validateOwnerReferences(references: readonly OwnerReference[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller = '';
  for (const [index, reference] of references.entries()) {
    errors.push(...validateReference(reference, `${field}[${index}]`));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === '') {
      controller = name;
      continue;
    }
    const found = `Found "true" in references for ${controller} and ${name}`;
    errors.push(invalid(field, [...references], `Only one reference can have Controller set to true. ${found}`));
  }
  return errors;
}

function validateReference(reference: OwnerReference, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['apiVersion', 'kind', 'name', 'uid'] as const) {
    if (reference[name] === '') errors.push(required(`${field}.${name}`, 'must not be empty'));
    else if (name === 'apiVersion' && !isGroupVersion(reference.apiVersion)) {
      const detail = 'must be <group>/<version> or <version>';
      errors.push(invalid(`${field}.apiVersion`, reference.apiVersion, detail));
    }
  }
  if (reference.apiVersion === 'v1' && reference.kind === 'Event') {
    errors.push(invalid(field, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}

function isGroupVersion(text: string): boolean {
  const parts = text.split('/');
  return parts.length <= 2 && parts.at(-1) !== '';
}
