import { type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { rulesOf } from '../rules/kind-rules.ts';

function containerTexts(member: string) {
  return (object: KubeObject) =>
    listAt(object as JsonValue, 'template', 'spec', 'containers')
      .map((container) => textAt(container, member))
      .join(',');
}

function labelsOf(object: KubeObject): string {
  const labels = Object.entries(objectAt(object as JsonValue, 'template', 'metadata', 'labels') ?? {});
  const texts = labels.map(([name, value]) => `${name}=${String(value)}`);
  return texts.toSorted().join(',') || '<none>';
}

/** Pod templates of core/v1. */
export const podTemplate: KubernetesKind = {
  ...rulesOf('core.PodTemplate'),
  group: '',
  plural: 'podtemplates',
  namespaced: true,
  description: 'A template for pods, for programs that create pods.',
  generation: { first: 1, increasedBy: 'spec' },
  unconditionalUpdate: true,
  returnsDeleted: true,
  columns: [
    column('Containers', containerTexts('name'), { description: 'The names of the containers.' }),
    column('Images', containerTexts('image'), { description: 'The images of the containers.' }),
    column('Pod Labels', labelsOf, { description: 'The labels of the pods.' }),
  ],
};
