import type { Project } from '../../api/management/v1/project.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { allowedTemplatesOf } from '../../auth/authz/project-grants.ts';

/** True if instances of the project may use this template of the given kind. */
export function allowsTemplate(project: Project, templateKind: Pick<ResourceKind, 'kind'>, template: string): boolean {
  return allowedTemplatesOf(project, templateKind).some(({ name }) => ['*', template].includes(name));
}

/**
 * Returns the project's default template of the given kind, for instances that name no template. `undefined` if the
 * project sets no default.
 */
export function defaultTemplateOf(project: Project, templateKind: Pick<ResourceKind, 'kind'>): string | undefined {
  const found = allowedTemplatesOf(project, templateKind).find(({ isDefault }) => isDefault === true);
  return found?.name || undefined;
}
