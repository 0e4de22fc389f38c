import { type JsonValue, objectAt } from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { rulesOf } from '../rules/kind-rules.ts';
import { deprecatedNodeLabels } from '../rules/node-labels.ts';

/** Warns about deprecated node labels. */
function warningsOf(object: KubeObject): string[] {
  const selector = objectAt(object as JsonValue, 'scheduling', 'nodeSelector') ?? {};
  return Object.keys(selector).flatMap((label) => {
    const warning = deprecatedNodeLabels.get(label);
    return warning === undefined ? [] : [`scheduling.nodeSelector: ${warning}`];
  });
}

/** Runtime classes of node.k8s.io/v1. */
export const runtimeClass: KubernetesKind = {
  ...rulesOf('node.RuntimeClass'),
  group: 'node.k8s.io',
  plural: 'runtimeclasses',
  namespaced: false,
  description: 'A container runtime, and what pods need to run with it.',
  unconditionalUpdate: false,
  createOnUpdate: true,
  warnings: warningsOf,
  columns: [column('Handler', 'handler', { description: 'The configuration of the container runtime.' }), ageColumn],
};
