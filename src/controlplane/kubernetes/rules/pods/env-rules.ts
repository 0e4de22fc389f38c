import type { JsonObject } from '@flotilla/json';
import { generateNameFaults, labelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, fieldNotFound, invalid, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { dataKeyFaults } from '../../../core/data-keys.ts';
import { itemsAt, objectAt, textOf } from '../checks.ts';
import { faultErrors } from '../field-rules.ts';
import { objectFieldErrors, resourceFieldErrors } from '../volumes/field-references.ts';
import { hasBackstep } from './mount-rules.ts';
import { allContainers, isSet, type PodContext, structAt } from './pod-context.ts';

const envFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** Returns the faults of the name of an environment variable. */
function variableFaults(name: string): string[] {
  const rule = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return /^[ -<>-~]*$/.test(name) ? [] : [rule];
}

export function* envErrors(container: JsonObject, path: string): Generator<FieldError> {
  for (const [variable, at] of itemsAt(container, 'env', path)) {
    const name = textOf(variable.name);
    if (name === '') yield required(childPath(at, 'name'));
    yield* faultErrors(childPath(at, 'name'), name, variableFaults(name));
    const source = structAt(variable, 'valueFrom');
    if (source !== undefined) yield* sourceErrors(source, childPath(at, 'valueFrom'), textOf(variable.value));
  }
}

const sources: Readonly<Record<string, (source: JsonObject, path: string) => Iterable<FieldError>>> = {
  fieldRef: (source, path) => objectFieldErrors(source, path, envFields),
  resourceFieldRef: (source, path) => resourceFieldErrors(source, path, false),
  configMapKeyRef: (source, path) => keyErrors(source, path),
  secretKeyRef: (source, path) => keyErrors(source, path),
  fileKeyRef: (source, path) => fileErrors(source, path),
};

function* sourceErrors(valueFrom: JsonObject, path: string, value: string): Generator<FieldError> {
  let count = 0;
  for (const [name, errorsOf] of Object.entries(sources)) {
    const source = structAt(valueFrom, name);
    if (source === undefined) continue;
    count++;
    yield* errorsOf(source, childPath(path, name));
  }
  if (count === 0) {
    const names = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    yield invalid(path, '', `must specify one of: ${names}`);
  } else if (value !== '') yield invalid(path, '', 'may not be specified when `value` is not empty');
  else if (count > 1) yield invalid(path, '', 'may not have more than one field specified at a time');
}

/** Validates a reference to a key of a ConfigMap or a Secret. */
function* keyErrors(source: JsonObject, path: string): Generator<FieldError> {
  const [name, key] = [textOf(source.name), textOf(source.key)];
  yield* faultErrors(childPath(path, 'name'), name, subdomainFaults(name));
  if (key === '') yield required(childPath(path, 'key'));
  else yield* faultErrors(childPath(path, 'key'), key, dataKeyFaults(key));
}

/** Validates a reference to a variable in a file of a volume. */
function* fileErrors(source: JsonObject, path: string): Generator<FieldError> {
  const faults: readonly [member: string, faultsOf: (text: string) => readonly string[]][] = [
    ['key', variableFaults],
    ['volumeName', labelFaults],
    ['path', (text) => (hasBackstep(text) ? ["must not contain '..'"] : [])],
  ];
  for (const [member, faultsOf] of faults) {
    const text = textOf(source[member]);
    if (text === '') yield required(childPath(path, member));
    else yield* faultErrors(childPath(path, member), text, faultsOf(text));
  }
}

/** Validates `envFrom`. Kubernetes reports a wrong number of sources for the list, without the index. */
export function* envFromErrors(container: JsonObject, path: string): Generator<FieldError> {
  for (const [source, at] of itemsAt(container, 'envFrom', path)) {
    const prefix = textOf(source.prefix);
    yield* faultErrors(childPath(at, 'prefix'), prefix, variableFaults(prefix));
    const references = ['configMapRef', 'secretRef'].filter((name) => isSet(source[name]));
    for (const reference of references) {
      const namePath = childPath(childPath(at, reference), 'name');
      const name = textOf(objectAt(source, reference).name);
      yield* name === '' ? [required(namePath)] : faultErrors(namePath, name, generateNameFaults(name));
    }
    const list = childPath(path, 'envFrom');
    if (references.length === 0) yield invalid(list, '', 'must specify one of: `configMapRef` or `secretRef`');
    else if (references.length > 1) yield invalid(list, '', 'may not have more than one field specified at a time');
  }
}

/** Checks that the files with variables are in volumes of the type emptyDir. */
export function* envFileErrors({ spec, path }: PodContext): Generator<FieldError> {
  const volumes = new Map(itemsAt(spec, 'volumes', path).map(([volume]) => [textOf(volume.name), volume]));
  for (const [container, at] of allContainers(spec, path)) {
    for (const [variable, envPath] of itemsAt(container, 'env', at)) {
      const source = structAt(objectAt(variable, 'valueFrom'), 'fileKeyRef');
      if (source === undefined) continue;
      const name = textOf(source.volumeName);
      const namePath = `${envPath}.valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(name);
      if (volume === undefined) yield fieldNotFound(namePath, name);
      else if (!isSet(volume.emptyDir)) yield invalid(namePath, name, 'referenced volume must be of type emptyDir');
    }
  }
}
