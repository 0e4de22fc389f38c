import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { labelFaults, parseQuantity, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../../../api/field-error.ts';
import { childPath, keyPath } from '../../../../api/schema/field-path.ts';
import { labelSelectorErrors } from '../../../../api/selectors/selector-object.ts';
import { validateAnnotations, validateLabels } from '../../../../api/validation/labels.ts';
import { isUnset, listOf, memberAt, objectAt, textOf } from '../checks.ts';
import { choiceErrors } from '../field-rules.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes = ['Block', 'Filesystem'];

/** Returns the errors of access modes that are present. */
export function* accessModeErrors(modes: JsonValue | undefined, path: string): Generator<FieldError> {
  const listed = listOf(modes).map(textOf);
  for (const mode of listed) if (!accessModes.includes(mode)) yield notSupported(path, mode, accessModes);
  const known = listed.filter((mode) => accessModes.includes(mode));
  if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod')) {
    yield forbiddenField(path, 'may not use ReadWriteOncePod with other access modes');
  }
}

/** Returns the errors of the name of a class, if it is set. */
export function classNameErrors(name: JsonValue | undefined, path: string): FieldError[] {
  return textOf(name) === '' ? [] : subdomainFaults(textOf(name)).map((fault) => invalid(path, name, fault));
}

/** Returns the error of an amount that is not positive. */
export function positiveErrors(amount: JsonValue | undefined, path: string): FieldError[] {
  const isPositive = parseQuantity(String(amount)).billionths > 0n;
  return isPositive ? [] : [invalid(path, amount, 'must be greater than zero')];
}

function* dataSourceErrors(source: JsonObject, path: string, isGroupChecked: boolean): Generator<FieldError> {
  for (const name of ['name', 'kind']) if (isUnset(source[name] ?? undefined)) yield required(childPath(path, name));
  const group = textOf(source.apiGroup);
  if (group === '' && source.kind !== 'PersistentVolumeClaim') {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    yield invalid(path, textOf(source.kind), detail);
  }
  if (group !== '' && isGroupChecked) {
    for (const fault of subdomainFaults(group)) yield invalid(childPath(path, 'apiGroup'), group, fault);
  }
  const namespace = textOf(source.namespace);
  if (namespace === '') return;
  for (const fault of labelFaults(namespace)) yield invalid(childPath(path, 'namespace'), namespace, fault);
}

function isSameSource(source: JsonObject, reference: JsonObject): boolean {
  return (
    (source.apiGroup ?? null) === (reference.apiGroup ?? null) &&
    textOf(source.kind) === textOf(reference.kind) &&
    textOf(source.name) === textOf(reference.name)
  );
}

function* dataSourcesErrors(spec: JsonObject, path: string, isGroupChecked: boolean): Generator<FieldError> {
  const { dataSource, dataSourceRef } = spec;
  if (isJsonObject(dataSource)) yield* dataSourceErrors(dataSource, childPath(path, 'dataSource'), isGroupChecked);
  if (!isJsonObject(dataSourceRef)) return;
  yield* dataSourceErrors(dataSourceRef, childPath(path, 'dataSourceRef'), isGroupChecked);
  if (!isJsonObject(dataSource)) return;
  if (textOf(dataSourceRef.namespace) !== '') {
    yield invalidPath(path, 'may not be specified when dataSourceRef.namespace is specified');
  } else if (!isSameSource(dataSource, dataSourceRef)) yield invalidPath(path, 'must match dataSourceRef');
}

/**
 * Returns an error without a useful value: Kubernetes passes the field's path as the value and prints it as an empty
 * struct.
 */
function invalidPath(path: string, detail: string): FieldError {
  return invalid(path, {}, detail);
}

interface ClaimOptions {
  /**
   * False if the API group of a data source is not checked, because the stored claim already has a data source with a
   * group.
   */
  readonly isGroupChecked: boolean;
}

/** Returns the errors of the spec of a persistent volume claim. */
export function* claimSpecErrors(
  spec: JsonObject,
  path: string,
  { isGroupChecked }: ClaimOptions = { isGroupChecked: true },
): Generator<FieldError> {
  const at = (name: string) => childPath(path, name);
  if (isUnset(spec.accessModes ?? undefined)) yield required(at('accessModes'), 'at least 1 access mode is required');
  yield* labelSelectorErrors(spec.selector ?? undefined, at('selector'));
  yield* accessModeErrors(spec.accessModes, at('accessModes'));
  const storage = memberAt(spec, ['resources', 'requests', 'storage']);
  const storagePath = keyPath(at('resources'), 'storage');
  if (storage === undefined) yield required(storagePath);
  else yield* positiveErrors(storage, storagePath);
  yield* classNameErrors(spec.storageClassName, at('storageClassName'));
  yield* choiceErrors(at('volumeMode'), spec.volumeMode, volumeModes);
  yield* dataSourcesErrors(spec, path, isGroupChecked);
  yield* classNameErrors(spec.volumeAttributesClassName, at('volumeAttributesClassName'));
}

/** The members of the metadata that a template may not have, in the order of the Go struct. */
const otherMetadata = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

type Texts = Readonly<Record<string, string>>;

/** Returns the errors of a template for claims, in a volume of a pod. */
export function* claimTemplateErrors(template: JsonObject, path: string): Generator<FieldError> {
  yield* templateMetadataErrors(template, path);
  yield* claimSpecErrors(objectAt(template, 'spec'), childPath(path, 'spec'));
}

/** Returns the errors of the metadata of a template, which may contain only labels and annotations. */
export function* templateMetadataErrors(template: JsonObject, path: string): Generator<FieldError> {
  const metadata = objectAt(template, 'metadata');
  const at = (name: string) => childPath(childPath(path, 'metadata'), name);
  yield* validateAnnotations(objectAt(metadata, 'annotations') as Texts, at('annotations'));
  yield* validateLabels(objectAt(metadata, 'labels') as Texts, at('labels'));
  for (const name of otherMetadata) {
    // In this error, Kubernetes derives the field name from its Go struct.
    if (!isUnset(metadata[name] ?? undefined)) yield forbiddenField(at(name === 'uid' ? 'uID' : name), 'cannot be set');
  }
}
