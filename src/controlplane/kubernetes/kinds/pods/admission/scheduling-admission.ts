import { isJsonObject, type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import type { KubeObject } from '../../../../../api/meta.ts';

/** The time in seconds for which a pod stays on a failing node. */
const tolerationSeconds = 300;
const failures = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Adds tolerations for failing nodes, unless the pod has its own tolerations for them. */
export function tolerateFailingNodes(pod: JsonObject): void {
  if (!isJsonObject(pod.spec)) return;
  const tolerations = listAt(pod.spec, 'tolerations');
  const isTolerated = (failure: string) => (toleration: JsonValue) =>
    ['', failure].includes(textAt(toleration, 'key')) && ['', 'NoExecute'].includes(textAt(toleration, 'effect'));
  const missing = failures.filter((failure) => !tolerations.some(isTolerated(failure)));
  if (missing.length === 0) return;
  pod.spec.tolerations = [
    ...tolerations,
    ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds })),
  ];
}

/** If an update omits the priority of a pod, keeps the priority that admission has set. */
export function keepPriority(pod: JsonObject, old: JsonObject): void {
  if (!isJsonObject(pod.spec) || !isJsonObject(old.spec)) return;
  for (const member of ['priority', 'preemptionPolicy']) {
    const stored = old.spec[member] ?? undefined;
    if (stored !== undefined) pod.spec[member] ??= stored;
  }
}

const topologyLabels = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'];

/** Returns the labels of a node that are copied to its pods. */
export function topologyLabelsOf(node: KubeObject | undefined): Readonly<Record<string, string>> {
  const labels = Object.entries(node?.metadata.labels ?? {});
  return Object.fromEntries(labels.filter(([name]) => topologyLabels.includes(name)));
}
