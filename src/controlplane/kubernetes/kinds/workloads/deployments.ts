import { type JsonValue, valueAt } from '@flotilla/json';
import { ageColumn } from '../../../../api/columns.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import type { KubernetesKind } from '../../kubernetes-kind.ts';
import { rulesOf, statusRulesOf } from '../../rules/kind-rules.ts';
import { selectorText } from '../selector-text.ts';
import { nameWarnings } from './name-warnings.ts';
import { containerColumns, readyColumn, replicaColumns, selectorColumn, textCountColumn } from './workload-columns.ts';
import { workloadScale } from './workload-scale.ts';

const group = 'apps';

/** Returns the label selector of a workload as text. Validation ensures that the selector is present. */
export function specSelectorText(object: KubeObject): string {
  return selectorText(valueAt(object as JsonValue, 'spec', 'selector'));
}

/** Deployments of apps/v1. No component starts their pods on the built-in cluster. */
export const deployment: KubernetesKind = {
  ...rulesOf('apps.Deployment'),
  group,
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  namespaced: true,
  description: 'A number of identical pods, and the way in which they are replaced when the pod template changes.',
  generation: { first: 1, increasedBy: 'spec-or-annotations' },
  unconditionalUpdate: true,
  status: { keeps: ['labels'], ...statusRulesOf('apps.Deployment') },
  scale: workloadScale(specSelectorText),
  warnings: nameWarnings,
  columns: [
    readyColumn,
    textCountColumn('Up-to-date', 'status.updatedReplicas', 'The number of pods of the current template.'),
    textCountColumn('Available', 'status.availableReplicas', 'The number of available pods.'),
    ageColumn,
    ...containerColumns('spec', 'template'),
    selectorColumn('spec', 'selector'),
  ],
};

/** Replica sets of apps/v1. No component starts their pods on the built-in cluster. */
export const replicaSet: KubernetesKind = {
  ...rulesOf('apps.ReplicaSet'),
  group,
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  namespaced: true,
  description: 'A number of identical pods.',
  generation: { first: 1, increasedBy: 'spec' },
  unconditionalUpdate: true,
  status: { keeps: [], ...statusRulesOf('apps.ReplicaSet') },
  scale: workloadScale(specSelectorText),
  warnings: nameWarnings,
  columns: [...replicaColumns, ageColumn, ...containerColumns('spec', 'template'), selectorColumn('spec', 'selector')],
};
