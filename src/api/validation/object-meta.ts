import { sortBytes } from '../../lib/json-order.ts';
import { equalJson, type JsonValue } from '../../lib/json-value.ts';
import { type FieldError, forbiddenField, invalid, required } from '../field-error.ts';
import type { ObjectMeta } from '../meta.ts';
import { validateAnnotations, validateLabels } from './labels.ts';
import { validateManagedFields } from './managed-fields.ts';
import { generateNameFaults, labelFaults, type NameLimits, nameFaults, qualifiedNameFaults } from './names.ts';
import { validateOwnerReferences } from './owner-references.ts';

export interface MetaRules extends NameLimits {
  readonly namespaced: boolean;
}

/** The metadata of an object that is about to be created, its name generated where that was wanted. */
export function validateMeta(meta: ObjectMeta, rules: MetaRules): FieldError[] {
  return [
    ...validateName(meta, rules),
    ...validateNamespace(meta.namespace ?? '', rules.namespaced),
    ...validateContents(meta),
    ...validateFinalizers(meta.finalizers ?? []),
  ];
}

function validateName({ name = '', generateName = '' }: ObjectMeta, limits: NameLimits): FieldError[] {
  const field = 'metadata.generateName';
  const errors =
    generateName === ''
      ? []
      : generateNameFaults(generateName, limits).map((fault) => invalid(field, generateName, fault));
  if (name === '') return [...errors, required('metadata.name', 'name or generateName is required')];
  return [...errors, ...nameFaults(name, limits).map((fault) => invalid('metadata.name', name, fault))];
}

function validateNamespace(namespace: string, namespaced: boolean): FieldError[] {
  const field = 'metadata.namespace';
  if (!namespaced) return namespace === '' ? [] : [forbiddenField(field, 'not allowed on this type')];
  if (namespace === '') return [required(field)];
  return labelFaults(namespace).map((fault) => invalid(field, namespace, fault));
}

/** What holds for every write. */
function validateContents(meta: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  if ((meta.generation ?? 0) < 0) {
    errors.push(invalid('metadata.generation', meta.generation, 'must be greater than or equal to 0'));
  }
  return [
    ...errors,
    ...validateLabels(meta.labels ?? {}, 'metadata.labels'),
    ...validateAnnotations(meta.annotations ?? {}, 'metadata.annotations'),
    ...validateOwnerReferences(meta.ownerReferences ?? [], 'metadata.ownerReferences'),
    ...validateManagedFields(meta.managedFields ?? [], 'metadata.managedFields'),
  ];
}

function validateFinalizers(finalizers: readonly string[]): FieldError[] {
  const field = 'metadata.finalizers';
  const errors = finalizers.flatMap((finalizer) =>
    qualifiedNameFaults(finalizer).map((fault) => invalid(field, finalizer, fault)),
  );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(field, [...finalizers], 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}

const immutableFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/**
 * The metadata of an object that is about to be changed, after the server has put back what clients cannot set
 * (rule UPDATE-12). Whether a resourceVersion is demanded is the registry's question.
 */
export function validateMetaUpdate(newMeta: ObjectMeta, oldMeta: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  const known = new Set(oldMeta.finalizers ?? []);
  const added = (newMeta.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (oldMeta.deletionTimestamp !== undefined && added.length > 0) errors.push(noNewFinalizers(added));
  if ((newMeta.generation ?? 0) < (oldMeta.generation ?? 0)) {
    errors.push(invalid('metadata.generation', newMeta.generation ?? 0, 'must not be decremented'));
  }
  for (const name of immutableFields) {
    const value: JsonValue | undefined = newMeta[name];
    if (!equalJson(value, oldMeta[name]))
      errors.push(invalid(`metadata.${name}`, value ?? absent(name), 'field is immutable'));
  }
  return [
    ...errors,
    ...validateContents(newMeta),
    ...(added.length > 0 ? validateFinalizers(newMeta.finalizers ?? []) : []),
  ];
}

/** Go prints a missing string as "", and a missing number or time as null. */
function absent(name: string): JsonValue {
  return name === 'name' || name === 'namespace' || name === 'uid' ? '' : null;
}

function noNewFinalizers(added: readonly string[]): FieldError {
  const list = sortBytes([...new Set(added)]).map((finalizer) => JSON.stringify(finalizer));
  return forbiddenField(
    'metadata.finalizers',
    `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list.join(', ')}}`,
  );
}
