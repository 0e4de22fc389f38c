/** Resources whose amount is a number of objects of a core kind, under the names that they had before `count/`. */
export const countedKinds: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
]);

const wholeNumbers: ReadonlySet<string> = new Set([...countedKinds, 'services.nodeports', 'services.loadbalancers']);

const quotaResources: ReadonlySet<string> = new Set([
  ...wholeNumbers,
  ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  'requests.storage',
]);

const hugePages = /^(requests\.)?hugepages-/;

/** Known to quotas. */
export function isQuotaResource(name: string): boolean {
  return quotaResources.has(name) || hugePages.test(name);
}

/** Known at all; one that is not is told two things. */
export function isStandardResource(name: string): boolean {
  return isQuotaResource(name) || name === 'storage';
}

export function isWholeNumber(name: string): boolean {
  return wholeNumbers.has(name) || isExtended(name);
}

/** Neither Kubernetes' own nor a request for one: devices, counts of objects. */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

const pods: ReadonlySet<string> = new Set(['pods']);
const podResources: ReadonlySet<string> = new Set([
  'pods',
  ...['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
const claims: ReadonlySet<string> = new Set(['persistentvolumeclaims', 'requests.storage']);

/** By scope, the resources that it says something about. */
const scopes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Terminating', podResources],
  ['NotTerminating', podResources],
  ['NotBestEffort', podResources],
  ['PriorityClass', podResources],
  ['CrossNamespacePodAffinity', podResources],
  ['BestEffort', pods],
  ['VolumeAttributesClass', claims],
]);

export function isScope(scope: string): boolean {
  return scopes.has(scope);
}

/** A scope that nobody knows fits everything. */
export function fitsScope(scope: string, name: string): boolean {
  return !isQuotaResource(name) || (scopes.get(scope)?.has(name) ?? true);
}

/** Scopes that are there or not: no values. */
export function isPlainScope(scope: string): boolean {
  return isScope(scope) && scope !== 'PriorityClass' && scope !== 'VolumeAttributesClass';
}

export const conflictingScopes = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
