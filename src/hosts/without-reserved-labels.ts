import { isReservedLabel } from '../api/management/host-isolation/reserved-labels.ts';
import type { LabelsAndAnnotations } from './host.ts';

/** Returns the metadata of a host namespace without labels that templates may not set. */
export function withoutReservedLabels({ labels = {}, annotations = {} }: LabelsAndAnnotations): LabelsAndAnnotations {
  return { labels: Object.fromEntries(Object.entries(labels).filter(([name]) => !isReservedLabel(name))), annotations };
}
