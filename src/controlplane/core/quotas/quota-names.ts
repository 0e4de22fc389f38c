/** Quota resources that count objects of a core kind, under their names from before `count/`. */
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

/** True if quotas support the resource. */
export function isQuotaResource(name: string): boolean {
  return quotaResources.has(name) || hugePages.test(name);
}

/** True if the resource is a standard one; for others Kubernetes reports two errors. */
export function isStandardResource(name: string): boolean {
  return isQuotaResource(name) || name === 'storage';
}

export function isWholeNumber(name: string): boolean {
  return wholeNumbers.has(name) || isExtended(name);
}

/** True for devices and object counts: names that are neither Kubernetes' own nor `requests.` of one. */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

const pods: ReadonlySet<string> = new Set(['pods']);
const podResources: ReadonlySet<string> = new Set([
  'pods',
  ...['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
const claims: ReadonlySet<string> = new Set(['persistentvolumeclaims', 'requests.storage']);

/** The resources that each scope applies to. */
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

/** An unknown scope fits every resource. */
export function scopeAppliesTo(scope: string, name: string): boolean {
  return !isQuotaResource(name) || (scopes.get(scope)?.has(name) ?? true);
}

/** True for scopes that take no values. */
export function isValuelessScope(scope: string): boolean {
  return isScope(scope) && scope !== 'PriorityClass' && scope !== 'VolumeAttributesClass';
}

export const conflictingScopes = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
