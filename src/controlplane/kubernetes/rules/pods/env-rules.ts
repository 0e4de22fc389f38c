import type { JsonObject } from '@flotilla/json';
import {
  generateNameFaults,
  labelFaults,
  parseQuantity,
  qualifiedNameFaults,
  subdomainFaults,
} from '@flotilla/kubernetes-formats';
import { type FieldError, fieldNotFound, invalid, notSupported, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { dataKeyFaults } from '../../../core/data-keys.ts';
import { itemsAt, objectAt, textOf } from '../checks.ts';
import { faultErrors } from '../field-rules.ts';
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
/** The fields of a pod that a reference can name. Environment variables can contain only some of them. */
const podFields = new Set([
  ...envFields,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);
const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

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
  fieldRef: (source, path) => fieldErrors(source, path),
  resourceFieldRef: (source, path) => resourceFieldErrors(source, path),
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

/** Splits `metadata.labels['a']` into the field and the key; `undefined` if there is no key. */
function subscriptOf(fieldPath: string): readonly [field: string, key: string] | undefined {
  const at = fieldPath.indexOf("['");
  return fieldPath.endsWith("']") && at > 0 && at + 2 <= fieldPath.length - 2
    ? [fieldPath.slice(0, at), fieldPath.slice(at + 2, -2)]
    : undefined;
}

function conversionFault(version: string, fieldPath: string): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  const field = subscriptOf(fieldPath)?.[0];
  if (field !== undefined) {
    const isMap = field === 'metadata.annotations' || field === 'metadata.labels';
    return isMap ? undefined : `field label does not support subscript: ${fieldPath}`;
  }
  return podFields.has(fieldPath) || fieldPath === 'spec.host' ? undefined : `field label not supported: ${fieldPath}`;
}

function* fieldErrors(source: JsonObject, path: string): Generator<FieldError> {
  const [version, given] = [textOf(source.apiVersion), textOf(source.fieldPath)];
  const at = childPath(path, 'fieldPath');
  if (version === '' || given === '') {
    yield required(childPath(path, version === '' ? 'apiVersion' : 'fieldPath'));
    return;
  }
  const fault = conversionFault(version, given);
  if (fault !== undefined) {
    yield invalid(at, given, `error converting fieldPath: ${fault}`);
    return;
  }
  const subscript = subscriptOf(given);
  if (subscript !== undefined) {
    const key = subscript[0] === 'metadata.annotations' ? subscript[1].toLowerCase() : subscript[1];
    yield* faultErrors(path, key, qualifiedNameFaults(key));
  } else if (given !== 'spec.host' && !envFields.includes(given)) yield notSupported(at, given, envFields);
}

function* resourceFieldErrors(source: JsonObject, path: string): Generator<FieldError> {
  const resource = textOf(source.resource);
  const isHugePages = /^(requests|limits)\.hugepages-/.test(resource);
  if (resource === '') yield required(childPath(path, 'resource'));
  else if (!resourceFields.includes(resource) && !isHugePages) {
    yield notSupported(childPath(path, 'resource'), resource, resourceFields);
  }
  const divisor = textOf(source.divisor) || '0';
  const resourceName = isHugePages ? 'hugepages' : dividedResources.get(resource.slice(resource.indexOf('.') + 1));
  const isKnown = isHugePages || resourceFields.includes(resource);
  if (!isKnown || resourceName === undefined || parseQuantity(divisor).billionths === 0n) return;
  const allowed = resourceName === 'cpu' ? ['1m', '1'] : byteDivisors;
  if (allowed.includes(divisor)) return;
  const listed = resourceName === 'cpu' ? '1m and 1' : byteDivisors.join(', ');
  const detail = `only divisor's values ${listed} are supported with the ${resourceName} resource`;
  yield invalid(childPath(path, 'divisor'), resource, detail);
}

/** The names of resources in messages about their divisors. */
const dividedResources: ReadonlyMap<string, string> = new Map([
  ['cpu', 'cpu'],
  ['memory', 'memory'],
  ['ephemeral-storage', 'local ephemeral storage'],
]);

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
