import { sortByBytes } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';
import { groupResourceOf } from '../../../api/resource.ts';
import { forbidden } from '../../../api/status.ts';
import type { AdmissionAttributes } from '../../../registry/admission-attributes.ts';
import { resourceKey } from '../../../registry/rows/rows.ts';
import { measuredKind } from './measured-kinds.ts';
import { hardOf } from './quota-usage.ts';

/** The maximum number of containers that the error lists for one amount. */
const maxContainers = 100;

/**
 * Throws 403 if one of these quotas limits an amount that containers of the object do not set. Such a quota requires
 * every container to set the amount.
 */
export function refuseMissingAmounts({ resource, draft }: AdmissionAttributes, quotas: readonly KubeObject[]): void {
  const missing = measuredKind(resourceKey(resource))?.missingIn?.(draft.object) ?? new Map<string, string[]>();
  if (missing.size === 0) return;
  for (const quota of quotas) {
    const names = sortByBytes([...missing.keys()].filter((name) => hardOf(quota, name) !== undefined));
    if (names.length === 0) continue;
    const amounts = names.map((name) => `${name} for: ${listed(missing.get(name) ?? [])}`).join('; ');
    const detail = `failed quota: ${quota.metadata.name}: must specify ${amounts}`;
    throw forbidden(groupResourceOf(resource), draft.object.metadata.name ?? '', detail);
  }
}

function listed(containers: readonly string[]): string {
  const names = sortByBytes([...new Set(containers)]);
  if (names.length <= maxContainers) return names.join(',');
  return `${names.slice(0, maxContainers).join(',')} and ${names.length - maxContainers} more`;
}
