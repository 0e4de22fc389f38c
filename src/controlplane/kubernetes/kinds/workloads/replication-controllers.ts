import { type JsonValue, objectAt } from '@flotilla/json';
import { ageColumn, column } from '../../../../api/columns.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import type { KubernetesKind } from '../../kubernetes-kind.ts';
import { rulesOf, statusRulesOf } from '../../rules/kind-rules.ts';
import { selectorText } from '../selector-text.ts';
import { nameWarnings } from './name-warnings.ts';
import { containerColumns, replicaColumns } from './workload-columns.ts';
import { workloadScale } from './workload-scale.ts';

function labelsText(object: KubeObject): string {
  return selectorText({ matchLabels: objectAt(object as JsonValue, 'spec', 'selector') ?? {} });
}

/** Replication controllers of core/v1. No component starts their pods on the built-in cluster. */
export const replicationController: KubernetesKind = {
  ...rulesOf('core.ReplicationController'),
  group: '',
  plural: 'replicationcontrollers',
  shortNames: ['rc'],
  categories: ['all'],
  namespaced: true,
  description: 'A number of identical pods. Replica sets have replaced this kind.',
  generation: { first: 1, increasedBy: 'spec' },
  unconditionalUpdate: true,
  selectableFields: ['status.replicas'],
  orphansDependents: {},
  status: { keeps: [], ...statusRulesOf('core.ReplicationController') },
  scale: workloadScale(labelsText),
  warnings: nameWarnings,
  columns: [
    ...replicaColumns,
    ageColumn,
    ...containerColumns('spec', 'template'),
    column('Selector', labelsText, { wide: true, description: 'The labels of the pods.' }),
  ],
};
