import { equalJson } from '@flotilla/json';
import type { FieldError } from '../api/field-error.ts';
import type { HostAccess } from '../api/management/host-access/host-access-schema.ts';
import type { HostAccessSettings } from '../api/management/host-access/host-access-settings.ts';
import { projectKind } from '../api/management/v1/project.ts';
import type { VirtualClusterTemplateSpec } from '../api/management/v1/virtual-cluster-template.ts';
import { projectOfNamespace } from '../api/naming.ts';
import { groupResourceOf, type ResourceKind } from '../api/resource.ts';
import { forbidden } from '../api/status.ts';
import { hostAccessSubresource } from '../auth/authz/permission-table.ts';
import type { RequestContext } from '../registry/context.ts';
import type { InstanceDraft, TemplateDraft } from './drafts.ts';
import type { InstanceRules } from './instances/instance-rules.ts';

/**
 * Returns the `status.hostAccess` of an instance after a write. Throws 403 if the write changes the inline template or
 * the access rules in a way that requires host access, and the caller has no host access in the project.
 */
export async function hostAccessOfInstance(
  rules: InstanceRules,
  draft: InstanceDraft,
  context: RequestContext,
  settings: HostAccessSettings,
): Promise<HostAccess | undefined> {
  const { template } = draft.object.spec ?? {};
  const before = draft.old?.object;
  const isUnchanged = context.system || equalJson(template, before?.spec?.template);
  const project = projectOfNamespace(draft.object.metadata.namespace ?? '') ?? '';
  const name = draft.object.metadata.name ?? '';
  const extraErrors = context.system ? [] : (rules.extraHostAccessErrors?.(draft) ?? []);
  const isRelevant = extraErrors.length > 0 || (template !== undefined && !isUnchanged);
  const mayAccess = isRelevant && (await mayAccessHosts(projectKind, project, context));
  if (!mayAccess) refuse(rules.kind, name, extraErrors);
  if (template === undefined) return undefined;
  if (isUnchanged) return before?.status?.hostAccess;
  if (mayAccess) return 'Granted';
  refuse(rules.kind, name, rules.hostAccessErrors(template, 'spec.template', settings));
  return 'Restricted';
}

const definingFields = ['template', 'parameters', 'versions'] as const;

/**
 * Returns the `status.hostAccess` of a template after a write. Throws 403 if the write changes the template, the new
 * template acts on hosts, and the caller does not have host access for this template.
 */
export async function hostAccessOfTemplate(
  rules: InstanceRules,
  { object, old }: TemplateDraft,
  context: RequestContext,
  settings: HostAccessSettings,
): Promise<HostAccess | undefined> {
  const before = old?.object;
  const isSame = definingFields.every((field) => equalJson(object.spec?.[field] ?? [], before?.spec?.[field] ?? []));
  if (context.system || (isSame && before !== undefined)) return before?.status?.hostAccess;
  const name = object.metadata.name ?? '';
  if (await mayAccessHosts(rules.templateKind, name, context)) return 'Granted';
  refuse(rules.templateKind, name, templateErrors(rules, object.spec ?? {}, settings));
  return 'Restricted';
}

/**
 * Sets `status.hostAccess` of a draft. The draft and the stored version can share one JavaScript object as the status,
 * so the status is copied before it is changed.
 */
export function setHostAccess(
  object: { status?: { hostAccess?: HostAccess } },
  hostAccess: HostAccess | undefined,
): void {
  if (object.status?.hostAccess === hostAccess) return;
  const { hostAccess: _before, ...others } = object.status ?? {};
  object.status = hostAccess === undefined ? others : { ...others, hostAccess };
}

function templateErrors(
  { hostAccessErrors }: InstanceRules,
  { template, versions = [] }: VirtualClusterTemplateSpec,
  settings: HostAccessSettings,
): FieldError[] {
  return [
    ...hostAccessErrors(template ?? {}, 'spec.template', settings),
    ...versions.flatMap((version, index) =>
      hostAccessErrors(version.template ?? {}, `spec.versions[${index}].template`, settings),
    ),
  ];
}

/** True if the caller has the permission to act on hosts with `object`, a project or a template. */
export async function mayAccessHosts(
  { group, plural }: ResourceKind,
  name: string,
  context: RequestContext,
): Promise<boolean> {
  return await context.may({
    verb: 'use',
    group,
    resource: plural,
    subresource: hostAccessSubresource,
    namespace: '',
    name,
  });
}

/** The maximum number of errors in the message. */
const maxShown = 3;

function refuse(kind: ResourceKind, name: string, errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const shown = errors.slice(0, maxShown).map(({ field, message }) => `${field}: ${message}`);
  const detail = `${shown.join('; ')}${errors.length > maxShown ? '; …' : ''}`;
  const causes = errors.map(({ type, field, message }) => ({ reason: type, message, field }));
  throw forbidden(groupResourceOf(kind), name, detail, causes);
}
