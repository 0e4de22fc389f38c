import { equalJson, getMember, objectAt } from '@flotilla/json';
import { denialMessage } from '../api/denial-message.ts';
import { groupResourceOf, type ResourceKind } from '../api/resource.ts';
import { forbidden } from '../api/status.ts';
import { protectedMetadataFields } from '../auth/authz/permission-table.ts';
import type { RequestContext } from '../registry/context.ts';
import type { Draft, StoredRecord } from '../registry/resource.ts';

/**
 * Throws 403 if the caller may not change a field. Each changed field of the spec requires the permission
 * `<plural>/spec.<field>`. Metadata fields that affect other components require a permission too.
 */
export async function checkFieldPermissions(kind: ResourceKind, draft: Draft, context: RequestContext): Promise<void> {
  if (context.system) return;
  await requireOwnerReferencePermission(kind, draft, context);
  const refused: string[] = [];
  for (const field of changedFields(draft)) {
    if (!(await maySetField(kind, draft, context, field))) refused.push(field);
  }
  if (refused.length === 0) return;
  throw forbidden(groupResourceOf(kind), draft.object.metadata.name ?? '', `you may not set ${refused.join(', ')}`);
}

/** True if the caller may set the field, which is `spec.<field>` or `metadata.<field>`. */
export async function maySetField(
  kind: ResourceKind,
  draft: Draft,
  context: RequestContext,
  field: string,
): Promise<boolean> {
  const { name = '', namespace = '' } = draft.object.metadata;
  const verb = draft.old === undefined ? 'create' : 'update';
  const { group, plural } = kind;
  return await context.may({ verb, group, resource: plural, subresource: field, namespace, name });
}

/**
 * Checks a second time (`guardWrite`) that the caller may update or patch an object. Throws 403 if the caller has
 * neither permission.
 */
export async function requireWritePermission(
  kind: ResourceKind,
  record: StoredRecord,
  context: RequestContext,
  subresource: string,
): Promise<void> {
  await requireAny(kind, record, context, { verbs: ['update', 'patch'], subresource });
}

/**
 * Throws 403 if an update changes the owner references and the caller may not delete the object. A change of the owner
 * references can cause the deletion of the object: if none of the referenced owners exists, the object is garbage
 * collected.
 */
export async function requireOwnerReferencePermission(
  kind: ResourceKind,
  draft: Draft,
  context: RequestContext,
): Promise<void> {
  const { object, old } = draft;
  if (context.system || old === undefined) return;
  if (equalJson(object.metadata.ownerReferences ?? [], old.object.metadata.ownerReferences ?? [])) return;
  const { name = '', namespace = '' } = old.object.metadata;
  if (await context.may({ verb: 'delete', group: kind.group, resource: kind.plural, namespace, name })) return;
  throw forbidden(groupResourceOf(kind), name, "cannot set an ownerRef on a resource you can't delete");
}

/**
 * Checks a second time (`guardWrite`) that the caller may delete an object, with delete or deletecollection. Throws 403
 * if the caller has neither permission.
 */
export async function requireDeletePermission(
  kind: ResourceKind,
  record: StoredRecord,
  context: RequestContext,
): Promise<void> {
  if (context.system) return;
  await requireAny(kind, record, context, { verbs: ['delete', 'deletecollection'], subresource: '' });
}

async function requireAny(
  kind: ResourceKind,
  { object }: StoredRecord,
  context: RequestContext,
  { verbs, subresource }: { readonly verbs: readonly string[]; readonly subresource: string },
): Promise<void> {
  const { name = '', namespace = '' } = object.metadata;
  const { group, plural } = kind;
  for (const verb of verbs) {
    if (await context.may({ verb, group, resource: plural, subresource, namespace, name })) return;
  }
  const denied = { verb: verbs[0] ?? '', group, resource: plural, subresource: '', namespace };
  throw forbidden(groupResourceOf(kind), name, denialMessage(context.user.name, { resourceRequest: true, ...denied }));
}

/** Returns the fields that a write changes. For a create, returns the spec fields that it sets. */
function changedFields({ object, old }: Draft): string[] {
  const now = objectAt(object, 'spec') ?? {};
  const before = objectAt(old?.object, 'spec') ?? {};
  const fields = [...new Set([...Object.keys(now), ...Object.keys(before)])];
  const inSpec = fields.filter((field) => !equalJson(getMember(now, field), getMember(before, field)));
  const inMetadata = protectedMetadataFields.filter(
    (field) => old !== undefined && !equalJson(object.metadata[field], old.object.metadata[field]),
  );
  return [...inSpec.map((field) => `spec.${field}`), ...inMetadata.map((field) => `metadata.${field}`)];
}
