import { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../api/meta.ts';
import { defaultTemplate } from '../api/naming.ts';
import { flagAt, listAt, textAt } from '../lib/json-path.ts';
import type { JsonValue } from '../lib/json-value.ts';

function isTemplateEntry(entry: JsonValue): boolean {
  return ['', virtualClusterTemplateKind.kind].includes(textAt(entry, 'kind'));
}

export function allowsTemplate(project: KubeObject, template: string): boolean {
  return listAt(project, 'spec', 'allowedTemplates').some(
    (entry) => isTemplateEntry(entry) && ['*', template].includes(textAt(entry, 'name')),
  );
}

/** The template of instances that name none: the project's default, or else the built-in one. */
export function defaultTemplateOf(project: KubeObject): string {
  const chosen = listAt(project, 'spec', 'allowedTemplates').find(
    (entry) => isTemplateEntry(entry) && flagAt(entry, 'isDefault'),
  );
  return textAt(chosen, 'name') || defaultTemplate;
}
