import { fastPathsEnabled } from '@flotilla/fast-paths';
import { type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { apiVersionOf } from '@flotilla/kubernetes-formats';
import { createdEntries } from './fast/created-entries.ts';
import { createdFields } from './fast/created-fields.ts';
import { unchangedOwnership } from './fast/unchanged-ownership.ts';
import { toFieldsV1 } from './field-set/fields-v1.ts';
import { capUpdateManagers } from './managers/cap-managers.ts';
import {
  isOwnershipReset,
  type Managers,
  managedEntry,
  managerIdentity,
  readManagers,
  writeManagers,
} from './managers/managers.ts';
import { releaseFields, touchedFields } from './managers/ownership.ts';
import { reconcileManagers } from './managers/reconcile-managers.ts';
import { comparisonsIn } from './managers/versioned-fields.ts';
import { filterComparison, withoutUntracked, writableFields } from './tracked-fields.ts';
import type { TrackedKind } from './tracked-kind.ts';
import type { ManagedFieldsEntry, TrackedObject } from './tracked-object.ts';
import type { TrackedWrite } from './tracked-write.ts';
import { type Comparison, compareTyped } from './typed/compare.ts';
import { hasTooManyFields } from './typed/field-count.ts';
import { shapeOf } from './typed/shape.ts';
import { UnkeyedItemError } from './typed/typed.ts';

/**
 * Updates the field ownership after a create, PUT, merge patch or JSON patch. Such writes never conflict: the writer
 * becomes the owner of the fields that it changes. Returns a copy of `next` with the new managedFields; everything else
 * is shared with `next`. Must be called after defaulting and pruning, and not after an apply. An object with too many
 * fields gets no managedFields.
 */
export function trackUpdate<Tracked extends TrackedObject>(write: TrackedWrite<Tracked>): Tracked {
  if (hasTooManyFields(write.kind, write.next) || hasTooManyFields(write.kind, write.live)) {
    return withMetadata(write.next);
  }
  const kept = fastPathsEnabled() ? unchangedOwnership(write) : undefined;
  if (kept !== undefined) return withMetadata(write.next, kept);
  const managers = startingManagers(write);
  if (managers.size === 0 && write.live !== undefined) return withManagedFields(write.next, managers);
  try {
    if (managers.size === 0 && write.subresource === '') return trackCreate(write);
    return withManagedFields(write.next, recordUpdate(write, managers));
  } catch (error) {
    if (!(error instanceof UnkeyedItemError)) throw error;
    // Keep the existing managers, because a stored object that no longer fits its schema must stay writable.
    return withManagedFields(write.next, readManagers(managedFieldsOf(write.live), write.kind.group) ?? new Map());
  }
}

/**
 * Records the creator as the owner of the fields of a new object. On the fast path, objects with the same members share
 * the managedFields.
 */
function trackCreate<Tracked extends TrackedObject>(write: TrackedWrite<Tracked>): Tracked {
  const { kind, manager, next, now } = write;
  const make = () => {
    const [managed] = recordUpdate(write, new Map()).values();
    return managed === undefined ? {} : toFieldsV1(managed.fields);
  };
  // For kinds with a Go form, the owned fields also depend on values, because an empty value that Go writes has no
  // owner.
  const mayShare = fastPathsEnabled() && kind.goForm === undefined;
  const fieldsV1 = mayShare ? createdFields(kind, withoutManagedFields(next as JsonObject), make) : make();
  if (isEmpty(fieldsV1)) return withMetadata(next);
  const info = { manager, operation: 'Update', apiVersion: apiVersionOf(kind), subresource: '' } as const;
  const entries = mayShare ? createdEntries(info, now, fieldsV1) : [managedEntry(info, now, fieldsV1)];
  return withMetadata(next, entries);
}

function isEmpty(members: JsonObject): boolean {
  for (const _ in members) return false;
  return true;
}

/**
 * Returns the managers before the write. Uses the managedFields from the client if they are valid and the write is not
 * to a subresource (rules SSA-29 to SSA-32, CREATE-06).
 */
function startingManagers({ kind, live, next, subresource }: TrackedWrite): Managers {
  const stored = (): Managers => readManagers(managedFieldsOf(live), kind.group) ?? new Map();
  if (subresource !== '') return stored();
  const sent = managedFieldsOf(next);
  if (isOwnershipReset(sent)) return new Map();
  const managers = readManagers(sent, kind.group);
  return managers === undefined || managers.size === 0 ? stored() : managers;
}

function managedFieldsOf(object: TrackedObject | undefined): JsonValue | undefined {
  return object?.metadata.managedFields as JsonValue | undefined;
}

/** Compares the objects and adds the changed fields to the writer's Update entry. */
export function recordUpdate(write: TrackedWrite, before: Managers): Managers {
  const { kind, live, next, subresource, now } = write;
  const apiVersion = apiVersionOf(kind);
  const compareIn = (seen: TrackedKind, convert: (object: TrackedObject) => TrackedObject): Comparison => {
    const old = live === undefined ? beforeCreation(seen) : tracked(seen, convert(live));
    return filterComparison(
      compareTyped(shapeOf(seen), withoutManagedFields(old), withoutManagedFields(tracked(seen, convert(next)))),
      writableFields(seen, subresource),
    );
  };
  const comparison = compareIn(kind, (object) => object);
  const managers = reconcileManagers(kind, before);
  const changed = withoutUntracked(comparison.modified.union(comparison.added));
  const { manager } = write;
  const operation = 'Update';
  const identity = managerIdentity({ manager, operation, apiVersion, subresource });
  const own = managers.get(identity)?.fields;
  // Usually the writer already owns all fields that it changes, so the writer's set stays the same.
  const isOwn = own?.includes(changed) === true && !own.meets(touchedFields(comparison).difference(changed));
  releaseFields(managers, comparisonsIn(kind, comparison, compareIn), isOwn ? identity : undefined);
  if (!changed.isEmpty) {
    const earlier = managers.get(identity)?.fields;
    const fields = earlier === undefined ? changed : isOwn ? earlier : changed.union(earlier);
    managers.set(identity, { manager, operation, apiVersion, subresource, fields, time: now });
  }
  capUpdateManagers(managers);
  return managers;
}

/**
 * Returns the form of the object whose fields are tracked. For kinds with a Go form, this is the object as Go prints
 * it, with null for empty times and lists.
 */
function tracked({ goForm }: TrackedKind, object: TrackedObject): JsonObject {
  return goForm === undefined ? (object as JsonObject) : goForm.print(object);
}

/** Returns the members that do not count as set by the creator of a new object. */
function beforeCreation(kind: TrackedKind): JsonObject {
  return kind.goForm === undefined ? { apiVersion: apiVersionOf(kind), kind: kind.kind } : kind.goForm.emptyObject();
}

export function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = (object.metadata ?? {}) as JsonObject;
  const bare = bareMetadata(metadata);
  return bare === object.metadata ? object : { ...object, metadata: bare };
}

/** Returns the metadata without managedFields. Most new objects have none, so the metadata is usually not copied. */
function bareMetadata(metadata: JsonObject): JsonObject {
  if (!Object.hasOwn(metadata, 'managedFields')) return metadata;
  const { managedFields: _, ...bare } = metadata;
  return bare;
}

export function withManagedFields<Tracked extends TrackedObject>(object: Tracked, managers: Managers): Tracked {
  return withMetadata(object, managers.size === 0 ? undefined : writeManagers(managers));
}

/** Returns a copy of the object with the given managedFields, or without managedFields if they are absent. */
function withMetadata<Tracked extends TrackedObject>(object: Tracked, managedFields?: ManagedFieldsEntry[]): Tracked {
  const copy: Tracked = { ...object };
  const current = object.metadata as JsonObject;
  // Members are assigned one by one, because adding members to a spread object gives each object its own hidden class.
  const metadata: JsonObject = {};
  for (const name in current) if (name !== 'managedFields') setMember(metadata, name, current[name] as JsonValue);
  copy.metadata = metadata as Tracked['metadata'];
  if (managedFields !== undefined) copy.metadata.managedFields = managedFields;
  return copy;
}
