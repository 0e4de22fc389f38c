import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { parseQuantity, type Quantity, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../../api/field-error.ts';
import { childPath, keyPath } from '../../../api/schema/field-path.ts';
import { readQuantity } from '../defaults/resource-lists.ts';
import { faultErrors } from './field-rules.ts';

const containerResources = ['cpu', 'memory', 'ephemeral-storage'];
const integerResources = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
/** The resource names without a domain, except those of huge pages and quotas. */
const standardResources = [
  ...containerResources,
  ...integerResources,
  'storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'requests.storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
];
const unit = 1_000_000_000n;

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** True for a resource of Kubernetes itself. */
export function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** True for a resource that a device plugin or driver announces. */
export function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && qualifiedNameFaults(`requests.${name}`).length === 0;
}

/** Returns the errors of the name of any resource. */
export function resourceNameErrors(name: string, path: string): FieldError[] {
  const faults = qualifiedNameFaults(name);
  const isStandard = standardResources.includes(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
  if (faults.length === 0 && !isStandard && !name.includes('/')) {
    faults.push('must be a standard resource type or fully qualified');
  }
  return faultErrors(path, name, faults);
}

/** Returns the errors of the name of a resource that a container uses. */
export function* containerResourceNameErrors(name: string, path: string): Generator<FieldError> {
  yield* resourceNameErrors(name, path);
  if (!name.includes('/')) {
    if (!containerResources.includes(name) && !isHugePages(name)) {
      yield invalid(path, name, 'must be a standard resource for containers');
    }
  } else if (!isNative(name) && !isExtended(name)) {
    yield invalid(path, name, "doesn't follow extended resource name standard");
  }
}

/** Returns the errors of the name of a resource of a pod as a whole. */
function podResourceNameErrors(name: string, path: string): FieldError[] {
  const errors = resourceNameErrors(name, path);
  if (errors.length > 0 || name === 'cpu' || name === 'memory' || isHugePages(name)) return errors;
  return [notSupported(path, name, ['cpu', 'hugepages-', 'memory'])];
}

/** Returns the errors of the amount of a resource. */
export function* resourceAmountErrors(name: string, text: string, path: string): Generator<FieldError> {
  const { billionths } = parseQuantity(text);
  if (billionths < 0n) yield invalid(path, text, 'must be greater than or equal to 0');
  if ((integerResources.includes(name) || isExtended(name)) && billionths % unit !== 0n) {
    yield invalid(path, text, 'must be an integer');
  }
}

function amountsOf(value: JsonValue | undefined): [name: string, text: string][] {
  return isJsonObject(value) ? Object.entries(value).map(([name, text]) => [name, String(text)]) : [];
}

/** Checks that an amount of huge pages is a multiple of their size. */
function* hugePageErrors(name: string, text: string, path: string): Generator<FieldError> {
  if (!isHugePages(name)) return;
  const size = pageSize(name.slice('hugepages-'.length));
  const { billionths } = parseQuantity(text);
  const rounded = billionths % unit === 0n ? billionths : billionths + unit - (billionths % unit);
  if (size > 0n && rounded % size === 0n) return;
  yield invalid(path, text, `${text} is not positive integer multiple of ${name}`);
}

/** Returns the size of huge pages in billionths of bytes; 0 if it is not a number of bytes. */
function pageSize(text: string): bigint {
  const { billionths } = readQuantity(text) ?? { billionths: 0n };
  return billionths % unit === 0n ? billionths : 0n;
}

/** Returns the errors of the limits and requests of a container. */
export function containerResourceErrors(requirements: JsonObject, path: string): Iterable<FieldError> {
  return requirementErrors(requirements, path, containerResourceNameErrors);
}

/** Returns the errors of the limits and requests of a pod as a whole. */
export function podResourceErrors(requirements: JsonObject, path: string): Iterable<FieldError> {
  return requirementErrors(requirements, path, podResourceNameErrors);
}

function* requirementErrors(
  requirements: JsonObject,
  path: string,
  nameErrors: (name: string, path: string) => Iterable<FieldError>,
): Generator<FieldError> {
  const [limitsPath, requestsPath] = [childPath(path, 'limits'), childPath(path, 'requests')];
  const limits = new Map(amountsOf(requirements.limits));
  for (const [name, text] of limits) {
    yield* nameErrors(name, keyPath(limitsPath, name));
    yield* resourceAmountErrors(name, text, keyPath(limitsPath, name));
    yield* hugePageErrors(name, text, keyPath(limitsPath, name));
  }
  const requests = new Map(amountsOf(requirements.requests));
  for (const [name, text] of requests) {
    yield* nameErrors(name, keyPath(requestsPath, name));
    yield* resourceAmountErrors(name, text, keyPath(requestsPath, name));
    const limit = limits.get(name);
    if (limit !== undefined) yield* exceededLimit(name, [text, limit], requestsPath);
    else if (!isNative(name) || isHugePages(name)) {
      yield required(limitsPath, 'Limit must be set for non overcommitable resources');
    }
    yield* hugePageErrors(name, text, keyPath(requestsPath, name));
  }
  const names = [...limits.keys(), ...requests.keys()];
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    yield forbiddenField(path, 'HugePages require cpu or memory');
  }
}

function* exceededLimit(name: string, [text, limit]: [string, string], path: string): Generator<FieldError> {
  const [requested, allowed]: Quantity[] = [parseQuantity(text), parseQuantity(limit)];
  if (requested === undefined || allowed === undefined || requested.billionths === allowed.billionths) return;
  const isFixed = !isNative(name) || isHugePages(name);
  if (isFixed) yield invalid(path, text, `must be equal to ${name} limit of ${limit}`);
  else if (requested.billionths > allowed.billionths) {
    yield invalid(path, text, `must be less than or equal to ${name} limit of ${limit}`);
  }
}
