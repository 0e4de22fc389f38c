import { fastPathsEnabled } from '@flotilla/fast-paths';
import { type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { apiVersionOf, type KubeObject, type ManagedFieldsEntry, type ObjectMeta } from '../../api/meta.ts';
import { emptyObjectOf, toPrintedForm } from '../../api/structs/printed-form.ts';
import { capUpdateManagers } from './cap-managers.ts';
import { compareTyped } from './compare.ts';
import { createdEntries } from './fast/created-entries.ts';
import { createdFields } from './fast/created-fields.ts';
import { unchangedOwnership } from './fast/unchanged-ownership.ts';
import { toFieldsV1 } from './fields-v1.ts';
import {
  isOwnershipReset,
  type Managers,
  managedEntry,
  managerIdentity,
  readManagers,
  writeManagers,
} from './managers.ts';
import { releaseFields, touchedFields } from './ownership.ts';
import { reconcileManagers } from './reconcile-managers.ts';
import { shapeOf } from './shape.ts';
import { filterComparison, type TrackedKind, withoutUntracked, writableFields } from './tracked-fields.ts';
import type { TrackedWrite } from './tracked-write.ts';
import { UnkeyedItemError } from './typed.ts';

/**
 * Updates the field ownership after a write other than an apply: create, PUT, merge patch, JSON patch. Such writes
 * never conflict; the writer becomes the owner of what it changes. Returns `next` with the managedFields to store, and
 * shares everything else with `next`. Call it on the final object, after defaulting and pruning, and not after an
 * apply.
 */
export function trackUpdate(write: TrackedWrite): KubeObject {
  const kept = fastPathsEnabled() ? unchangedOwnership(write) : undefined;
  if (kept !== undefined) return withMetadata(write.next, kept);
  const managers = startingManagers(write);
  if (managers.size === 0 && write.live !== undefined) return withManagedFields(write.next, managers);
  try {
    if (managers.size === 0 && write.subresource === '') return trackCreate(write);
    return withManagedFields(write.next, recordUpdate(write, managers));
  } catch (error) {
    if (!(error instanceof UnkeyedItemError)) throw error;
    // Stored data that no longer fits its schema must not make an object unwritable or lose its managers.
    return withManagedFields(write.next, readManagers(managedFieldsOf(write.live), write.kind.group) ?? new Map());
  }
}

/** Tracks the creation of an object. The fast path computes the fields once for all objects of the same structure. */
function trackCreate(write: TrackedWrite): KubeObject {
  const { kind, manager, next, now } = write;
  const make = () => {
    const [managed] = recordUpdate(write, new Map()).values();
    return managed === undefined ? {} : toFieldsV1(managed.fields);
  };
  // For a Go type it also depends on values: an empty value that Go prints anyway has no owner.
  const mayShare = fastPathsEnabled() && kind.builtIn !== true;
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
 * The client's managedFields count if they are valid and not sent to a subresource (rules SSA-29 to SSA-32, CREATE-06).
 */
function startingManagers({ kind, live, next, subresource }: TrackedWrite): Managers {
  const stored = (): Managers => readManagers(managedFieldsOf(live), kind.group) ?? new Map();
  if (subresource !== '') return stored();
  const sent = managedFieldsOf(next);
  if (isOwnershipReset(sent)) return new Map();
  const managers = readManagers(sent, kind.group);
  return managers === undefined || managers.size === 0 ? stored() : managers;
}

function managedFieldsOf(object: KubeObject | undefined): JsonValue | undefined {
  return object?.metadata.managedFields as JsonValue | undefined;
}

/** Compares the objects and records the changes in the writer's Update entry. */
export function recordUpdate(write: TrackedWrite, before: Managers): Managers {
  const { kind, live, next, subresource, now } = write;
  const shape = shapeOf(kind);
  const apiVersion = apiVersionOf(kind);
  const old = live === undefined ? beforeCreation(kind) : tracked(kind, live);
  const comparison = filterComparison(
    compareTyped(shape, withoutManagedFields(old), withoutManagedFields(tracked(kind, next))),
    writableFields(kind, subresource),
  );
  const managers = reconcileManagers(shape, before);
  const changed = withoutUntracked(comparison.modified.union(comparison.added));
  const { manager } = write;
  const operation = 'Update';
  const identity = managerIdentity({ manager, operation, apiVersion, subresource });
  const own = managers.get(identity)?.fields;
  // Usually a writer changes fields that it owns already, and the set stays the same.
  const isOwn = own?.includes(changed) === true && !own.meets(touchedFields(comparison).difference(changed));
  releaseFields(managers, comparison, isOwn ? identity : undefined);
  if (!changed.isEmpty) {
    const earlier = managers.get(identity)?.fields;
    const fields = earlier === undefined ? changed : isOwn ? earlier : changed.union(earlier);
    managers.set(identity, { manager, operation, apiVersion, subresource, fields, time: now });
  }
  capUpdateManagers(managers);
  return managers;
}

/** Kubernetes tracks its built-in types as Go prints them, where an empty time or list is null. */
function tracked(kind: TrackedKind, object: KubeObject): JsonObject {
  return (kind.builtIn === true ? toPrintedForm(object) : object) as JsonObject;
}

/** The members that a new object has before its creator sets anything. */
function beforeCreation(kind: TrackedKind): JsonObject {
  const apiVersion = apiVersionOf(kind);
  return kind.builtIn === true ? emptyObjectOf(apiVersion, kind.kind) : { apiVersion, kind: kind.kind };
}

function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = (object.metadata ?? {}) as JsonObject;
  const bare = bareMetadata(metadata);
  return bare === object.metadata ? object : { ...object, metadata: bare };
}

/** Most new objects have no managedFields. */
function bareMetadata(metadata: JsonObject): JsonObject {
  if (!Object.hasOwn(metadata, 'managedFields')) return metadata;
  const { managedFields: _, ...bare } = metadata;
  return bare;
}

export function withManagedFields(object: KubeObject, managers: Managers): KubeObject {
  return withMetadata(object, managers.size === 0 ? undefined : writeManagers(managers));
}

/** Returns the object with its managedFields replaced. */
function withMetadata(object: KubeObject, managedFields?: ManagedFieldsEntry[]): KubeObject {
  const copy: KubeObject = { ...object };
  const current = object.metadata as JsonObject;
  // Assigned one by one: adding members to a spread gives each object its own hidden class.
  const metadata: JsonObject = {};
  for (const name in current) if (name !== 'managedFields') setMember(metadata, name, current[name] as JsonValue);
  copy.metadata = metadata as ObjectMeta;
  if (managedFields !== undefined) copy.metadata.managedFields = managedFields;
  return copy;
}
