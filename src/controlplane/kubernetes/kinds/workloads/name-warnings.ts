import { labelFaults } from '@flotilla/kubernetes-formats';
import type { KubeObject } from '../../../../api/meta.ts';

/** Warns if the name of a new workload cannot be the host name of its pods. */
export function nameWarnings({ metadata }: KubeObject, old: KubeObject | undefined): string[] {
  const faults = old === undefined ? labelFaults(metadata.name ?? '') : [];
  if (faults.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${faults.join(' ')}]`,
  ];
}
