import { type JsonValue, listAt, numberAt, textAt, valueAt } from '@flotilla/json';
import { column } from '../../../../api/columns.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import type { Column } from '../../../../api/resource.ts';
import { integerColumn } from '../columns.ts';
import { selectorText } from '../selector-text.ts';

/** Returns the wide columns with the names and the images of the containers of a pod template. */
export function containerColumns(...template: readonly string[]): Column[] {
  const members = (name: string) => (object: KubeObject) =>
    listAt(object as JsonValue, ...template, 'spec', 'containers')
      .map((container) => textAt(container, name))
      .join(',');
  return [
    column('Containers', members('name'), { wide: true, description: 'The names of the containers in the template.' }),
    column('Images', members('image'), { wide: true, description: 'The images of the containers in the template.' }),
  ];
}

/** Returns the wide column with a label selector. */
export function selectorColumn(...path: readonly string[]): Column {
  const text = (object: KubeObject) => selectorText(valueAt(object as JsonValue, ...path));
  return column('Selector', text, { wide: true, description: 'The labels of the pods of the workload.' });
}

/** Returns a column with a number that is 0 if the field is absent. */
export function countColumn(name: string, path: string, description: string): Column {
  return integerColumn(name, (object) => countAt(object, path), description);
}

/** Returns a column like `countColumn`, but declared as a string in the header of the table, as in Kubernetes. */
export function textCountColumn(name: string, path: string, description: string): Column {
  return column(name, (object) => countAt(object, path), { type: 'integer', description, path });
}

export const readyColumn: Column = column(
  'Ready',
  (object) => `${countAt(object, 'status.readyReplicas')}/${countAt(object, 'spec.replicas')}`,
  { description: 'The numbers of ready and of desired pods.' },
);

function countAt(object: KubeObject, path: string): number {
  return numberAt(object as JsonValue, ...path.split('.')) ?? 0;
}

/** The columns of workloads that only maintain a number of replicas. */
export const replicaColumns: readonly Column[] = [
  countColumn('Desired', 'spec.replicas', 'The desired number of pods.'),
  countColumn('Current', 'status.replicas', 'The number of pods.'),
  countColumn('Ready', 'status.readyReplicas', 'The number of ready pods.'),
];
