import { equalJson, getMember, objectAt } from '@flotilla/json';
import { groupResourceOf, type ResourceKind } from '../api/resource.ts';
import { forbidden } from '../api/status.ts';
import { protectedMetadataFields } from '../auth/authz/permission-table.ts';
import type { RequestContext } from '../registry/context.ts';
import type { Draft, StoredRecord } from '../registry/resource.ts';

/**
 * Checks permissions per field. Each spec field that a write changes needs the permission `<plural>/spec.<field>` of
 * the permission table, and so do the metadata fields that affect other components. Throws 403.
 */
export async function checkFieldPermissions(kind: ResourceKind, draft: Draft, context: RequestContext): Promise<void> {
  if (context.system) return;
  await requireWritePermission(kind, draft, context);
  await requireOwnerReferencePermission(kind, draft, context);
  const refused: string[] = [];
  for (const field of changedFields(draft)) {
    if (!(await maySetField(kind, draft, context, field))) refused.push(field);
  }
  if (refused.length === 0) return;
  throw forbidden(groupResourceOf(kind), draft.object.metadata.name ?? '', `you may not set ${refused.join(', ')}`);
}

/** `field` is `spec.<field>` or `metadata.<field>`. */
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
 * Checks the write permission again. The first check happened when the request arrived, and reading its body may have
 * taken long: another object may have the same name now. Throws 403.
 */
export async function requireWritePermission(kind: ResourceKind, draft: Draft, context: RequestContext): Promise<void> {
  if (context.system || draft.old === undefined) return;
  await requireAny(kind, draft.old, context, ['update', 'patch']);
}

/** An object without existing owners is garbage collected, so setting owners needs permission to delete. Throws 403. */
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

/** Checks the delete permission again, for a delete and for a deletecollection. Throws 403. */
export async function requireDeletePermission(
  kind: ResourceKind,
  record: StoredRecord,
  context: RequestContext,
): Promise<void> {
  if (context.system) return;
  await requireAny(kind, record, context, ['delete', 'deletecollection']);
}

async function requireAny(
  kind: ResourceKind,
  { object }: StoredRecord,
  context: RequestContext,
  verbs: readonly string[],
): Promise<void> {
  const { name = '', namespace = '' } = object.metadata;
  const { group, plural } = kind;
  for (const verb of verbs) {
    if (await context.may({ verb, group, resource: plural, namespace, name })) return;
  }
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const detail = `User "${context.user.name}" cannot ${verbs[0]} resource "${plural}" in API group "${group}" ${where}`;
  throw forbidden(groupResourceOf(kind), name, detail);
}

/** The fields that this write changes; for a create, the spec fields that it sets. */
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
