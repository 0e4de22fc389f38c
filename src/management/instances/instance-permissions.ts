import { equalJson } from '@flotilla/json';
import type { Owner } from '../../api/management/v1/owner.ts';
import type { Project } from '../../api/management/v1/project.ts';
import { abandonAnnotation, importedAnnotation } from '../../api/naming.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { forbidden, type StatusError } from '../../api/status.ts';
import { callerOf, ownerOf } from '../../auth/authz/caller.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { InstanceDraft } from '../drafts.ts';
import { maySetField, requireOwnerReferencePermission } from '../field-permissions.ts';
import type { InstanceRules } from './instance-rules.ts';

/**
 * Throws 403 if the caller lacks the permission for a changed field. Some fields require a permission in addition to
 * the permission to write the instance (completions §3).
 */
export async function checkInstancePermissions(
  { kind, locationFields }: InstanceRules,
  draft: InstanceDraft,
  project: Project,
  context: RequestContext,
): Promise<void> {
  if (context.system) return;
  await requireOwnerReferencePermission(kind, draft, context);
  await checkOwner(kind, draft, context);
  await checkAccess(kind, draft, context);
  checkLocation({ kind, locationFields }, draft, context);
  checkAnnotations(kind, draft, context);
  await checkRestricted(kind, draft, project, context);
}

function denied(kind: ResourceKind, draft: InstanceDraft, detail: string): StatusError {
  return forbidden(groupResourceOf(kind), draft.object.metadata.name ?? '', detail);
}

async function checkOwner(kind: ResourceKind, draft: InstanceDraft, context: RequestContext): Promise<void> {
  const caller = callerOf(context.user);
  const wanted = ownerText(draft.object.spec?.owner);
  const own = draft.old === undefined ? ownerText(ownerOf(caller)) : ownerText(draft.old.object.spec?.owner);
  if (wanted === '' || wanted === own || (await maySetField(kind, draft, context, 'spec.owner'))) return;
  throw denied(kind, draft, 'only project admins may set another owner');
}

/** The creator of an instance may set its access fields. Later changes require the permission for the field. */
async function checkAccess(kind: ResourceKind, draft: InstanceDraft, context: RequestContext): Promise<void> {
  const { object, old } = draft;
  if (old === undefined) return;
  for (const field of ['access', 'extraAccessRules'] as const) {
    if (equalJson(object.spec?.[field], old.object.spec?.[field])) continue;
    if (await maySetField(kind, draft, context, `spec.${field}`)) continue;
    throw denied(kind, draft, `you may not set spec.${field}`);
  }
}

function ownerText({ user = '', team = '' }: Owner = {}): string {
  return user === '' && team === '' ? '' : `${user}/${team}`;
}

function checkLocation(
  { kind, locationFields }: Pick<InstanceRules, 'kind' | 'locationFields'>,
  draft: InstanceDraft,
  context: RequestContext,
): void {
  if (callerOf(context.user).isAdmin) return;
  const { object, old } = draft;
  for (const member of locationFields.filter((field) => field !== 'cluster')) {
    const set = old?.object.spec?.clusterRef?.[member] ?? '';
    // A value that is already set is immutable. Validation reports a change of such a value, so the permission is not
    // checked here.
    if (set === '' && (object.spec?.clusterRef?.[member] ?? '') !== '') {
      throw denied(kind, draft, `only admins may set spec.clusterRef.${member}`);
    }
  }
  if ((object.spec?.external ?? false) !== (old?.object.spec?.external ?? false)) {
    throw denied(kind, draft, 'only admins may set spec.external');
  }
}

/** Throws 403 if a caller other than an admin sets an annotation that triggers an admin action, such as abandoning. */
function checkAnnotations(kind: ResourceKind, draft: InstanceDraft, context: RequestContext): void {
  for (const annotation of [abandonAnnotation, importedAnnotation]) {
    const value = draft.object.metadata.annotations?.[annotation];
    if (value === undefined || value === draft.old?.object.metadata.annotations?.[annotation]) continue;
    if (!callerOf(context.user).isAdmin) throw denied(kind, draft, `only admins may set the annotation ${annotation}`);
    context.annotate?.(annotation, value);
  }
}

async function checkRestricted(
  kind: ResourceKind,
  draft: InstanceDraft,
  project: Project,
  context: RequestContext,
): Promise<void> {
  const { object, old } = draft;
  const inline = object.spec?.template;
  const changesInline = inline !== undefined && !equalJson(inline, old?.object.spec?.template);
  const lacksTemplate = old === undefined && inline === undefined && (object.spec?.templateRef?.name ?? '') === '';
  const isTemplateRequired = project.spec?.requireTemplate?.disabled === false;
  if (!changesInline && !(lacksTemplate && isTemplateRequired)) return;
  const allowed = await context.may({
    verb: 'create',
    group: kind.group,
    resource: kind.plural,
    subresource: 'restricted',
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
  });
  if (allowed) return;
  throw denied(
    kind,
    draft,
    changesInline
      ? 'you may not use an inline template; reference a template with spec.templateRef'
      : 'the project requires a template; reference one with spec.templateRef',
  );
}
