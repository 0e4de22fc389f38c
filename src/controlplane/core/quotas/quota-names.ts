/** Quota names that count objects of a core kind without the prefix `count/`, for example `pods`. */
export const objectCountNames: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
]);

const wholeNumbers: ReadonlySet<string> = new Set([
  ...objectCountNames,
  'services.nodeports',
  'services.loadbalancers',
]);

const quotaResources: ReadonlySet<string> = new Set([
  ...wholeNumbers,
  ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  'requests.storage',
]);

const hugePages = /^(requests\.)?hugepages-/;

/** True if a quota can limit this resource by its name alone, without a prefix such as `count/`. */
export function isQuotaResource(name: string): boolean {
  return quotaResources.has(name) || hugePages.test(name);
}

/** True for a standard resource name. For other names, Kubernetes reports an additional error. */
export function isStandardResource(name: string): boolean {
  return isQuotaResource(name) || name === 'storage';
}

export function requiresIntegerQuota(name: string): boolean {
  return wholeNumbers.has(name) || isExtended(name);
}

/** True for extended resources such as `example.com/gpu`, and for object counts such as `count/pods`. */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

const pods: ReadonlySet<string> = new Set(['pods']);
const podResources: ReadonlySet<string> = new Set([
  'pods',
  ...['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
const claims: ReadonlySet<string> = new Set(['persistentvolumeclaims', 'requests.storage']);

/** For each quota scope, the resources that a quota with this scope can limit. */
const scopes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Terminating', podResources],
  ['NotTerminating', podResources],
  ['NotBestEffort', podResources],
  ['PriorityClass', podResources],
  ['CrossNamespacePodAffinity', podResources],
  ['BestEffort', pods],
  ['VolumeAttributesClass', claims],
]);

export function isQuotaScope(scope: string): boolean {
  return scopes.has(scope);
}

/**
 * True if a quota with this scope can limit the resource. Also true for an unknown scope, which is reported as a
 * separate error.
 */
export function scopeAppliesTo(scope: string, name: string): boolean {
  return !isQuotaResource(name) || (scopes.get(scope)?.has(name) ?? true);
}

/** True for scopes whose selector must not have values. */
export function isValuelessScope(scope: string): boolean {
  return isQuotaScope(scope) && scope !== 'PriorityClass' && scope !== 'VolumeAttributesClass';
}

export const conflictingScopes = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
