import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { parseQuantity, type Quantity, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, required } from '../../../api/field-error.ts';
import { childPath, keyPath } from '../../../api/schema/field-path.ts';

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

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && qualifiedNameFaults(`requests.${name}`).length === 0;
}

/** Returns the errors of the name of any resource. */
export function* resourceNameErrors(name: string, path: string): Generator<FieldError> {
  const faults = qualifiedNameFaults(name);
  for (const fault of faults) yield invalid(path, name, fault);
  const isStandard = standardResources.includes(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
  if (faults.length === 0 && !name.includes('/') && !isStandard) {
    yield invalid(path, name, 'must be a standard resource type or fully qualified');
  }
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

/** Returns the errors of the limits and requests of a container. */
export function* containerResourceErrors(requirements: JsonObject, path: string): Generator<FieldError> {
  const [limitsPath, requestsPath] = [childPath(path, 'limits'), childPath(path, 'requests')];
  const limits = new Map(amountsOf(requirements.limits));
  for (const [name, text] of limits) {
    yield* containerResourceNameErrors(name, keyPath(limitsPath, name));
    yield* resourceAmountErrors(name, text, keyPath(limitsPath, name));
  }
  const requests = new Map(amountsOf(requirements.requests));
  for (const [name, text] of requests) {
    yield* containerResourceNameErrors(name, keyPath(requestsPath, name));
    yield* resourceAmountErrors(name, text, keyPath(requestsPath, name));
    const limit = limits.get(name);
    if (limit !== undefined) yield* exceededLimit(name, [text, limit], requestsPath);
    else if (!isNative(name) || isHugePages(name)) {
      yield required(limitsPath, 'Limit must be set for non overcommitable resources');
    }
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
