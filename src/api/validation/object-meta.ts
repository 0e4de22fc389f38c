import { equalJson, type JsonValue, sortByBytes } from '@flotilla/json';
import {
  generateNameFaults,
  labelFaults,
  type NameLimits,
  nameFaults,
  qualifiedNameFaults,
} from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, required, tooMany } from '../field-error.ts';
import type { ObjectMeta } from '../meta.ts';
import { validateAnnotations, validateLabels } from './labels.ts';
import { validateManagedFields } from './managed-fields.ts';
import { maxOwnerReferences, validateOwnerReferences } from './owner-references.ts';

export interface MetaRules extends NameLimits {
  readonly namespaced: boolean;
}

/**
 * Validates the metadata of an object before it is created. If the server generates the name, it must already be set.
 * `maxOwners` is the maximum number of owner references.
 */
export function validateMeta(meta: ObjectMeta, rules: MetaRules, maxOwners = maxOwnerReferences): FieldError[] {
  const errors: FieldError[] = [];
  validateName(meta, rules, errors);
  validateNamespace(meta.namespace ?? '', rules.namespaced, errors);
  validateContents(meta, errors, maxOwners);
  validateFinalizers(meta.finalizers ?? [], 0, errors);
  return errors;
}

/* The functions append to one list: usually there are no errors, and creating empty lists takes time. */

function validateName({ name = '', generateName = '' }: ObjectMeta, limits: NameLimits, errors: FieldError[]): void {
  if (generateName !== '') {
    for (const fault of generateNameFaults(generateName, limits)) {
      errors.push(invalid('metadata.generateName', generateName, fault));
    }
  }
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'));
  else for (const fault of nameFaults(name, limits)) errors.push(invalid('metadata.name', name, fault));
}

function validateNamespace(namespace: string, namespaced: boolean, errors: FieldError[]): void {
  const field = 'metadata.namespace';
  if (!namespaced) {
    if (namespace !== '') errors.push(forbiddenField(field, 'not allowed on this type'));
  } else if (namespace === '') {
    errors.push(required(field));
  } else {
    for (const fault of labelFaults(namespace)) errors.push(invalid(field, namespace, fault));
  }
}

/** Validates the parts of the metadata that have the same rules for creates and updates. */
function validateContents(meta: ObjectMeta, errors: FieldError[], maxOwners: number, old?: ObjectMeta): void {
  const { generation = 0, labels, annotations, ownerReferences, managedFields } = meta;
  if (generation < 0) errors.push(invalid('metadata.generation', generation, 'must be greater than or equal to 0'));
  if (labels !== undefined) addAll(errors, validateLabels(labels, 'metadata.labels'));
  if (annotations !== undefined) addAll(errors, validateAnnotations(annotations, 'metadata.annotations'));
  if (ownerReferences !== undefined) {
    const oldCount = old?.ownerReferences?.length ?? 0;
    addAll(errors, validateOwnerReferences(ownerReferences, 'metadata.ownerReferences', oldCount, maxOwners));
  }
  if (managedFields !== undefined) addAll(errors, validateManagedFields(managedFields, 'metadata.managedFields'));
}

/**
 * Appends errors one by one, because a spread of hundreds of thousands of errors into `push` would overflow the stack.
 */
function addAll(errors: FieldError[], found: readonly FieldError[]): void {
  for (const error of found) errors.push(error);
}

/**
 * The maximum number of finalizers of an object. Kubernetes has no limit, but every write of the object compares all
 * finalizers, and each finalizer is removed by a separate write. A stored list that exceeds the limit may become
 * shorter.
 */
export const maxFinalizers = 1_000;

function validateFinalizers(finalizers: readonly string[], oldCount: number, errors: FieldError[]): void {
  const field = 'metadata.finalizers';
  if (finalizers.length > Math.max(maxFinalizers, oldCount)) {
    errors.push(tooMany(field, finalizers.length, maxFinalizers));
    return;
  }
  for (const finalizer of finalizers) {
    for (const fault of qualifiedNameFaults(finalizer)) errors.push(invalid(field, finalizer, fault));
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(field, [...finalizers], 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
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
 * Validates the metadata in an update. Before the call, fields that clients cannot set must have been reset to their
 * old values (rule UPDATE-12). Does not check whether a required resourceVersion is missing.
 */
export function validateMetaUpdate(
  newMeta: ObjectMeta,
  oldMeta: ObjectMeta,
  maxOwners = maxOwnerReferences,
): FieldError[] {
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
  validateContents(newMeta, errors, maxOwners, oldMeta);
  if (added.length > 0) validateFinalizers(newMeta.finalizers ?? [], oldMeta.finalizers?.length ?? 0, errors);
  return errors;
}

/**
 * Returns the value that error messages contain for an absent member, as Go prints it: "" for a string, and null for a
 * number or time.
 */
function absent(name: string): JsonValue {
  return name === 'name' || name === 'namespace' || name === 'uid' ? '' : null;
}

function noNewFinalizers(added: readonly string[]): FieldError {
  const list = sortByBytes([...new Set(added)]).map((finalizer) => JSON.stringify(finalizer));
  return forbiddenField(
    'metadata.finalizers',
    `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list.join(', ')}}`,
  );
}
