import { isJsonObject, type JsonValue, objectAt } from '@flotilla/json';
import { ageColumn, column } from '../../../../api/columns.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import type { KubernetesKind } from '../../kubernetes-kind.ts';
import { rulesOf, statusRulesOf } from '../../rules/kind-rules.ts';
import { selectorText } from '../selector-text.ts';
import { specSelectorText } from './deployments.ts';
import { keepTemplateGeneration, showTemplateGeneration } from './template-generation.ts';
import { containerColumns, countColumn, readyColumn, selectorColumn } from './workload-columns.ts';
import { workloadScale } from './workload-scale.ts';

const group = 'apps';

/** Removes `maxUnavailable`, which belongs to a disabled feature of Kubernetes, unless the stored object has it. */
function dropMaxUnavailable(object: KubeObject, old: KubeObject | undefined): void {
  const updateOf = (owner: KubeObject | undefined) =>
    objectAt(owner as JsonValue | undefined, 'spec', 'updateStrategy', 'rollingUpdate');
  if ((updateOf(old)?.maxUnavailable ?? undefined) !== undefined) return;
  const update = updateOf(object);
  if (isJsonObject(update)) delete update.maxUnavailable;
}

function revisionHistoryWarnings(object: KubeObject): string[] {
  const limit = objectAt(object as JsonValue, 'spec')?.revisionHistoryLimit;
  if (typeof limit !== 'number' || limit >= 0) return [];
  return ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended'];
}

/** Stateful sets of apps/v1. No component starts their pods on the built-in cluster. */
export const statefulSet: KubernetesKind = {
  ...rulesOf('apps.StatefulSet'),
  group,
  plural: 'statefulsets',
  shortNames: ['sts'],
  categories: ['all'],
  namespaced: true,
  nameRule: 'label',
  description: 'A number of pods, each with a permanent name and permanent volumes.',
  generation: { first: 1, increasedBy: 'spec' },
  unconditionalUpdate: true,
  prepare: dropMaxUnavailable,
  status: { keeps: [], ...statusRulesOf('apps.StatefulSet') },
  scale: workloadScale(specSelectorText),
  warnings: revisionHistoryWarnings,
  columns: [readyColumn, ageColumn, ...containerColumns('spec', 'template')],
};

function nodeSelectorOf(object: KubeObject): string {
  const matchLabels = objectAt(object as JsonValue, 'spec', 'template', 'spec', 'nodeSelector') ?? {};
  return selectorText({ matchLabels });
}

/** Daemon sets of apps/v1. No component starts their pods on the built-in cluster. */
export const daemonSet: KubernetesKind = {
  ...rulesOf('apps.DaemonSet'),
  group,
  plural: 'daemonsets',
  shortNames: ['ds'],
  categories: ['all'],
  namespaced: true,
  description: 'A pod on each node, or on each of the nodes with given labels.',
  generation: { first: 1, increasedBy: 'spec' },
  unconditionalUpdate: true,
  complete: showTemplateGeneration,
  prepare: keepTemplateGeneration,
  status: { keeps: [], prepare: keepTemplateGeneration, ...statusRulesOf('apps.DaemonSet') },
  columns: [
    countColumn('Desired', 'status.desiredNumberScheduled', 'The number of nodes that should run the pod.'),
    countColumn('Current', 'status.currentNumberScheduled', 'The number of nodes that run the pod.'),
    countColumn('Ready', 'status.numberReady', 'The number of nodes with a ready pod.'),
    countColumn('Up-to-date', 'status.updatedNumberScheduled', 'The number of pods of the current template.'),
    countColumn('Available', 'status.numberAvailable', 'The number of nodes with an available pod.'),
    column('Node Selector', nodeSelectorOf, { description: 'The labels of the nodes that run the pod.' }),
    ageColumn,
    ...containerColumns('spec', 'template'),
    selectorColumn('spec', 'selector'),
  ],
};
