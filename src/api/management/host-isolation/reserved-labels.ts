import { isOwnLabel } from '../../naming.ts';

/** The label of a namespace that sets the Pod Security level that Kubernetes enforces in it. */
export const podSecurityLabel = 'pod-security.kubernetes.io/enforce';

const reservedLabels: ReadonlySet<string> = new Set([
  podSecurityLabel,
  'pod-security.kubernetes.io/enforce-version',
  'kubernetes.io/metadata.name',
]);

/** True if only the server may set this label of a host namespace. */
export function isReservedLabel(label: string): boolean {
  return reservedLabels.has(label) || isOwnLabel(label);
}
