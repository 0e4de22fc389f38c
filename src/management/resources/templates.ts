import { spaceTemplateKind } from '../../api/management/v1/space-template.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { RequestContext } from '../../registry/context.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { TemplateDraft } from '../drafts.ts';
import { checkFieldPermissions } from '../field-permissions.ts';
import { hostAccessOfTemplate, setHostAccess } from '../host-access.ts';
import { type InstanceRules, spaceRules, virtualClusterRules } from '../instances/instance-rules.ts';
import { ownerErrors } from '../rules/owner-errors.ts';
import { templateSpecErrors } from '../rules/template-errors.ts';

type Dependencies = Pick<ManagementDependencies, 'settings'>;

export function virtualClusterTemplateResource(dependencies: Dependencies): StoredResource {
  return defineResource({ ...virtualClusterTemplateKind, ...templateHooks(virtualClusterRules, dependencies) });
}

export function spaceTemplateResource(dependencies: Dependencies): StoredResource {
  return defineResource({ ...spaceTemplateKind, ...templateHooks(spaceRules, dependencies) });
}

/** Returns the hooks of the templates for a kind of instances. */
function templateHooks(rules: InstanceRules, { settings }: Dependencies) {
  return {
    hasStatus: true,
    serverOwnedStatus: true,
    gracePeriods: true,
    async prepare(draft: TemplateDraft, context: RequestContext) {
      await checkFieldPermissions(rules.templateKind, draft, context);
      setHostAccess(draft.object, await hostAccessOfTemplate(rules, draft, context, settings.hosts));
    },
    validate: ({ object }: TemplateDraft) => [
      ...ownerErrors(object.spec?.owner, 'spec.owner'),
      ...templateSpecErrors(object.spec, settings, rules.definitionErrors),
    ],
  } as const;
}
