import { isJsonObject, writeJson } from '@flotilla/json';
import { labelFaults } from '@flotilla/kubernetes-formats';
import { duplicate } from '../../../api/field-error.ts';
import { indexPath } from '../../../api/schema/field-path.ts';
import { immutable, labels, listOf, requiredTextWithout, textOf } from './checks.ts';
import type { Check, KindRules, StructRules } from './object-rules.ts';
import { containerResourceErrors } from './resource-checks.ts';
import { tolerations } from './toleration-checks.ts';

/**
 * Checks the overhead: the resources that a pod needs in addition to those of its containers. Kubernetes validates the
 * overhead as limits.
 */
const overhead: Check = (value, { path }) =>
  isJsonObject(value) ? containerResourceErrors({ limits: value.podFixed ?? {} }, path) : [];

const differentTolerations: Check = function* (value, { path }) {
  const known = new Set<string>();
  for (const [index, item] of listOf(value).entries()) {
    if (!isJsonObject(item)) continue;
    const key = writeJson(['key', 'operator', 'value', 'effect'].map((member) => textOf(item[member])));
    if (known.has(key)) yield duplicate(indexPath(path, index), item);
    known.add(key);
  }
};

/** The rules of node.k8s.io/v1. */
export const nodeRules: Readonly<Record<string, StructRules>> = {
  'node.RuntimeClass': { members: { handler: [requiredTextWithout(labelFaults)], overhead: [overhead] } },
  'node.Scheduling': { members: { nodeSelector: [labels], tolerations: [tolerations, differentTolerations] } },
};

export const nodeKinds: Readonly<Record<string, KindRules>> = {
  'node.RuntimeClass': { update: ['structs', 'changes'], changes: [immutable('handler')] },
};
