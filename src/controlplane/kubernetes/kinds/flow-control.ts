import { type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { Column } from '../../../api/resource.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { rulesOf, statusRulesOf } from '../rules/kind-rules.ts';
import { textColumn } from './columns.ts';

const group = 'flowcontrol.apiserver.k8s.io';

/**
 * Returns the status of the condition `Dangling`, which reports whether the priority level of the flow schema is
 * missing.
 */
function danglingOf(object: KubeObject): string {
  const conditions = listAt(object as JsonValue, 'status', 'conditions');
  const found = conditions.find((condition) => textAt(condition, 'type') === 'Dangling');
  return found === undefined ? '?' : textAt(found, 'status');
}

/** Returns a column with a number of a limited priority level; `<none>` if the level does not contain the number. */
function limitColumn(name: string, path: readonly string[], description: string): Column {
  const amount = (object: KubeObject) => valueAt(object as JsonValue, 'spec', 'limited', ...path) ?? '<none>';
  return { ...column(name, amount, { type: 'integer', description }), announcedType: 'string' };
}

const queuing = ['limitResponse', 'queuing'];

/** The kinds of flowcontrol.apiserver.k8s.io/v1. They do not affect the requests of the virtual cluster. */
export const flowControlKinds: readonly KubernetesKind[] = [
  {
    ...rulesOf('flowcontrol.FlowSchema'),
    group,
    plural: 'flowschemas',
    namespaced: false,
    description: 'The requests that belong to a priority level.',
    generation: { first: 1, increasedBy: 'spec' },
    unconditionalUpdate: true,
    status: { keeps: 'all', ...statusRulesOf('flowcontrol.FlowSchema') },
    columns: [
      column('PriorityLevel', 'spec.priorityLevelConfiguration.name', { description: 'The priority level.' }),
      column('MatchingPrecedence', 'spec.matchingPrecedence', {
        type: 'integer',
        description: 'Of the schemas that match a request, the one with the lowest number applies.',
      }),
      textColumn('DistinguisherMethod', 'spec.distinguisherMethod.type', {
        description: 'The property that divides the requests into flows.',
        absent: '<none>',
      }),
      ageColumn,
      column('MissingPL', danglingOf, { description: 'True if the priority level does not exist.' }),
    ],
  },
  {
    ...rulesOf('flowcontrol.PriorityLevelConfiguration'),
    group,
    plural: 'prioritylevelconfigurations',
    namespaced: false,
    description: 'A limit on concurrent requests, and the queues in which further requests wait.',
    generation: { first: 1, increasedBy: 'spec' },
    unconditionalUpdate: true,
    status: { keeps: 'all', ...statusRulesOf('flowcontrol.PriorityLevelConfiguration') },
    columns: [
      column('Type', 'spec.type', { description: 'Exempt or Limited.' }),
      limitColumn('NominalConcurrencyShares', ['nominalConcurrencyShares'], 'The share of the concurrent requests.'),
      limitColumn('Queues', [...queuing, 'queues'], 'The number of queues.'),
      limitColumn('HandSize', [...queuing, 'handSize'], 'The number of queues of a flow.'),
      limitColumn('QueueLengthLimit', [...queuing, 'queueLengthLimit'], 'The maximum length of a queue.'),
      ageColumn,
    ],
  },
];
