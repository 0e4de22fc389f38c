import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../api/meta.ts';
import { abandonAnnotation, importedAnnotation } from '../api/naming.ts';
import { groupResourceOf } from '../api/resource.ts';
import { forbidden, type StatusError } from '../api/status.ts';
import { callerOf, ownerOf } from '../auth/authz/caller.ts';
import { flagAt, textAt, valueAt } from '../lib/json-path.ts';
import { equalJson } from '../lib/json-value.ts';
import type { RequestContext } from '../registry/context.ts';
import type { Draft } from '../registry/resource.ts';
import { maySet, requireOwnerReferences, requireWrite } from './field-rights.ts';

/** What not everybody who may write an instance may write in it: 403 (completions §3). */
export async function checkInstanceRights(draft: Draft, project: KubeObject, context: RequestContext): Promise<void> {
  if (context.system) return;
  await requireWrite(virtualClusterInstanceKind, draft, context);
  await requireOwnerReferences(virtualClusterInstanceKind, draft, context);
  await checkOwner(draft, context);
  await checkAccess(draft, context);
  checkPlace(draft, context);
  checkNotes(draft, context);
  await checkRestricted(draft, project, context);
}

function refused(draft: Draft, detail: string): StatusError {
  return forbidden(groupResourceOf(virtualClusterInstanceKind), draft.object.metadata.name ?? '', detail);
}

async function checkOwner(draft: Draft, context: RequestContext): Promise<void> {
  const caller = callerOf(context.user);
  const wanted = ownerText(valueAt(draft.object, 'spec', 'owner'));
  const own =
    draft.old === undefined ? ownerText(ownerOf(caller)) : ownerText(valueAt(draft.old.object, 'spec', 'owner'));
  if (wanted === '' || wanted === own || (await maySet(virtualClusterInstanceKind, draft, context, 'spec.owner')))
    return;
  throw refused(draft, 'only admins of the project may give an instance to another owner');
}

/** Whoever makes an instance shares it as they like; later that is for those whose it is. */
async function checkAccess(draft: Draft, context: RequestContext): Promise<void> {
  const { object, old } = draft;
  if (old === undefined) return;
  for (const field of ['access', 'extraAccessRules']) {
    if (equalJson(valueAt(object, 'spec', field), valueAt(old.object, 'spec', field))) continue;
    if (await maySet(virtualClusterInstanceKind, draft, context, `spec.${field}`)) continue;
    throw refused(draft, `you may not set spec.${field}`);
  }
}

function ownerText(owner: Parameters<typeof textAt>[0]): string {
  const user = textAt(owner, 'user');
  const team = textAt(owner, 'team');
  return user === '' && team === '' ? '' : `${user}/${team}`;
}

function checkPlace(draft: Draft, context: RequestContext): void {
  if (callerOf(context.user).isAdmin) return;
  const { object, old } = draft;
  for (const member of ['namespace', 'virtualCluster']) {
    const set = textAt(old?.object, 'spec', 'clusterRef', member);
    // Another value than the one that is set is nobody's right; validation says so.
    if (set === '' && textAt(object, 'spec', 'clusterRef', member) !== '') {
      throw refused(draft, `only admins may set spec.clusterRef.${member}`);
    }
  }
  if (flagAt(object, 'spec', 'external') !== flagAt(old?.object, 'spec', 'external')) {
    throw refused(draft, 'only admins may set spec.external');
  }
}

/** Notes that the server acts on as an admin would: what is abandoned stays behind on its host. The audit log has them. */
function checkNotes(draft: Draft, context: RequestContext): void {
  for (const note of [abandonAnnotation, importedAnnotation]) {
    const value = draft.object.metadata.annotations?.[note];
    if (value === undefined || value === draft.old?.object.metadata.annotations?.[note]) continue;
    if (!callerOf(context.user).isAdmin) throw refused(draft, `only admins may set the annotation ${note}`);
    context.annotate?.(note, value);
  }
}

async function checkRestricted(draft: Draft, project: KubeObject, context: RequestContext): Promise<void> {
  const { object, old } = draft;
  const inline = valueAt(object, 'spec', 'template');
  const bringsInline = inline !== undefined && !equalJson(inline, valueAt(old?.object, 'spec', 'template'));
  const namesNone = old === undefined && inline === undefined && textAt(object, 'spec', 'templateRef', 'name') === '';
  const mustName = valueAt(project, 'spec', 'requireTemplate', 'disabled') === false;
  if (!bringsInline && !(namesNone && mustName)) return;
  const allowed = await context.may({
    verb: 'create',
    group: virtualClusterInstanceKind.group,
    resource: virtualClusterInstanceKind.plural,
    subresource: 'restricted',
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
  });
  if (allowed) return;
  throw refused(
    draft,
    bringsInline
      ? 'you may not use an inline template here; name one with spec.templateRef'
      : 'the project requires a template; name one with spec.templateRef',
  );
}
