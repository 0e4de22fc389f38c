import type { JsonObject } from '@flotilla/json';
import { parseQuantity, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, notSupported, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { textOf } from '../checks.ts';

/** The fields of a pod that a field reference can name. Each kind of reference allows only some of these fields. */
const podFields = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.host',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** Splits `metadata.labels['app']` into the path and the key; returns `undefined` for a path without a key. */
function keyOf(fieldPath: string): { path: string; key: string } | undefined {
  const start = fieldPath.indexOf("['");
  if (start < 1 || !fieldPath.endsWith("']") || start + 2 > fieldPath.length - 2) return undefined;
  return { path: fieldPath.slice(0, start), key: fieldPath.slice(start + 2, -2) };
}

function conversionFault(version: string, fieldPath: string): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  const keyed = keyOf(fieldPath);
  if (keyed === undefined) {
    return podFields.includes(fieldPath) ? undefined : `field label not supported: ${fieldPath}`;
  }
  const hasKeys = keyed.path === 'metadata.annotations' || keyed.path === 'metadata.labels';
  return hasKeys ? undefined : `field label does not support subscript: ${fieldPath}`;
}

/**
 * Returns the errors of a reference to a field of the pod. `allowed` contains the fields that the reference may name,
 * sorted.
 */
export function* objectFieldErrors(
  reference: JsonObject,
  path: string,
  allowed: readonly string[],
): Generator<FieldError> {
  const fieldPath = textOf(reference.fieldPath);
  const missing = ['apiVersion', 'fieldPath'].find((name) => textOf(reference[name]) === '');
  if (missing !== undefined) {
    yield required(childPath(path, missing));
    return;
  }
  const fault = conversionFault(textOf(reference.apiVersion), fieldPath);
  const at = childPath(path, 'fieldPath');
  if (fault !== undefined) {
    yield invalid(at, fieldPath, `error converting fieldPath: ${fault}`);
    return;
  }
  const keyed = keyOf(fieldPath);
  const named = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  if (keyed !== undefined) {
    const key = keyed.path === 'metadata.annotations' ? keyed.key.toLowerCase() : keyed.key;
    for (const keyFault of qualifiedNameFaults(key)) yield invalid(path, key, keyFault);
  } else if (!allowed.includes(named)) yield notSupported(at, named, allowed);
}

const resources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const sizes = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

function isHugePages(resource: string): boolean {
  return resource.startsWith('requests.hugepages-') || resource.startsWith('limits.hugepages-');
}

/** The names of resources in error messages about invalid divisors. */
const dividedResources: ReadonlyMap<string, string> = new Map(
  ['limits', 'requests'].flatMap((list): [string, string][] => [
    [`${list}.cpu`, 'cpu'],
    [`${list}.memory`, 'memory'],
    [`${list}.ephemeral-storage`, 'local ephemeral storage'],
  ]),
);

/** Returns the divisors of a resource, and how Kubernetes names the resource; `undefined` for other resources. */
function divisorsOf(resource: string): { allowed: readonly string[]; name: string; text: string } | undefined {
  const name = isHugePages(resource) ? 'hugepages' : dividedResources.get(resource);
  if (name === undefined) return undefined;
  if (name === 'cpu') return { allowed: ['1m', '1'], name, text: '1m and 1' };
  return { allowed: sizes, name, text: sizes.join(', ') };
}

/**
 * Returns the errors of a reference to a resource of a container. In a volume, the reference must name the container.
 */
export function* resourceFieldErrors(reference: JsonObject, path: string, isInVolume: boolean): Generator<FieldError> {
  const resource = textOf(reference.resource);
  const at = childPath(path, 'resource');
  if (isInVolume && textOf(reference.containerName) === '') yield required(childPath(path, 'containerName'));
  else if (resource === '') yield required(at);
  else if (!resources.includes(resource) && !isHugePages(resource)) yield notSupported(at, resource, resources);
  const divisor = textOf(reference.divisor);
  const divisors = divisorsOf(resource);
  const isSet = divisor !== '' && parseQuantity(divisor).billionths !== 0n;
  if (isSet && divisors !== undefined && !divisors.allowed.includes(divisor)) {
    const detail = `only divisor's values ${divisors.text} are supported with the ${divisors.name} resource`;
    yield invalid(childPath(path, 'divisor'), resource, detail);
  }
}
