import type { AllowedTemplate, Project } from '../../api/management/v1/project.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import { defaultTemplate } from '../../api/naming.ts';

function allowedTemplates(project: Project): AllowedTemplate[] {
  const entries = project.spec?.allowedTemplates ?? [];
  return entries.filter(({ kind = '' }) => ['', virtualClusterTemplateKind.kind].includes(kind));
}

export function allowsTemplate(project: Project, template: string): boolean {
  return allowedTemplates(project).some(({ name }) => ['*', template].includes(name));
}

/** Returns the template for instances that do not name one: the default of the project, or else `control-plane`. */
export function defaultTemplateOf(project: Project): string {
  return allowedTemplates(project).find(({ isDefault }) => isDefault === true)?.name || defaultTemplate;
}
