import { equalJson, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { apiVersionOf, parseApiVersion, type Timestamp } from '@flotilla/kubernetes-formats';
import { InvalidApplyError, SchemaMismatchError, TooManyFieldsError } from './apply-errors.ts';
import { fieldsLastApplied, kubectlManager, refreshLastApplied } from './last-applied.ts';
import { type ApplyConflict, conflictError } from './managers/conflict.ts';
import { type Managers, managerIdentity, readManagers } from './managers/managers.ts';
import { findConflicts, releaseFields } from './managers/ownership.ts';
import { isOwnershipLong, maxOwnershipLength } from './managers/ownership-size.ts';
import { pruneInVersions } from './managers/prune-in-versions.ts';
import { reconcileManagers } from './managers/reconcile-managers.ts';
import { comparisonsIn } from './managers/versioned-fields.ts';
import { recordUpdate, withManagedFields, withoutManagedFields } from './track-update.ts';
import { filterComparison, withoutUntracked, writableFields } from './tracked-fields.ts';
import type { TrackedKind } from './tracked-kind.ts';
import type { TrackedObject } from './tracked-object.ts';
import { compareTyped } from './typed/compare.ts';
import { hasTooManyFields, maxTrackedFields } from './typed/field-count.ts';
import { mergeTyped } from './typed/merge.ts';
import { shapeOf } from './typed/shape.ts';
import { fieldsOf, UnkeyedItemError } from './typed/typed.ts';
import { describeProblems, typedProblems } from './typed/typed-problems.ts';

export interface ApplyRequest<Tracked extends TrackedObject = TrackedObject> {
  readonly kind: TrackedKind;
  /** The stored object with its managedFields; absent if the apply creates the object. */
  readonly live?: Tracked;
  /** The object as the client sent it, without defaulting or pruning. */
  readonly applied: Tracked;
  readonly manager: string;
  /** True to take over fields that other managers own, instead of failing with a conflict. */
  readonly force: boolean;
  /** '' for the main endpoint, or 'status'. */
  readonly subresource: string;
  readonly now: Timestamp;
}

/**
 * Server-side apply: merges the applied object into the live one, removes fields that this manager applied before and
 * now omits, and updates managedFields. The main endpoint does not change the status; `/status` changes only the
 * status.
 *
 * The caller prunes, defaults and validates the result. It must not call trackUpdate on the result, because defaulted
 * fields have no owner (rule SSA-37). If no manager owns a field, the result has no managedFields. The result's
 * metadata contains the resourceVersion and uid that the client sent (rule SSA-38). The result shares nothing with
 * `live` except frozen fieldsV1 of managers whose fields did not change.
 *
 * Throws InvalidApplyError for another kind or for managedFields in `applied`, SchemaMismatchError if an object does not
 * fit the schema, TooManyFieldsError for a very large object or very long managedFields, and ApplyConflictError for conflicts.
 */
export function applyObject<Tracked extends TrackedObject>(sent: ApplyRequest<Tracked>): Tracked {
  const request: ApplyRequest = { ...sent, applied: withMembers(sent.kind, sent.applied) };
  const { kind, live, applied, manager, force } = request;
  checkFieldCount(request);
  checkNewManager(request);
  checkBody(request);
  try {
    const managers = startingManagers(request);
    const result = attempt(request, managers);
    const conflicts = force ? [] : remainingConflicts(request, result.conflicts);
    if (conflicts.length > 0) throw conflictError(conflicts);
    const merged = withManagedFields(result.merged, result.assignFields());
    return (manager === kubectlManager ? refreshLastApplied(merged, applied) : merged) as Tracked;
  } catch (error) {
    if (!(error instanceof UnkeyedItemError)) throw error;
    const subject = describe(kind, live ?? applied);
    throw new SchemaMismatchError(`failed to create typed live object (${subject}): ${error.message}`);
  }
}

/**
 * Adds the apiVersion and kind that a request body may omit, because the endpoint determines them (completions §2).
 * Converts an apiVersion or kind that is not a string to a string, so that the error message can show the value.
 */
function withMembers(kind: TrackedKind, applied: TrackedObject): TrackedObject {
  const { apiVersion, kind: kindName, metadata } = applied as JsonObject;
  return {
    ...applied,
    apiVersion: String(apiVersion || apiVersionOf(kind)),
    kind: String(kindName || kind.kind),
    metadata: metadata ?? {},
  } as TrackedObject;
}

function checkFieldCount({ kind, live, applied }: ApplyRequest): void {
  const subject = hasTooManyFields(kind, applied) ? 'applied' : hasTooManyFields(kind, live) ? 'live' : undefined;
  if (subject === undefined) return;
  throw new TooManyFieldsError(
    `the ${subject} object has more than ${maxTrackedFields} fields, which server-side apply does not support; use update or patch instead`,
  );
}

/** Throws if the apply would add a manager to an object with very long managedFields. Existing managers may continue. */
function checkNewManager({ live, manager, subresource }: ApplyRequest): void {
  const entries = live?.metadata.managedFields ?? [];
  const isKnown = entries.some(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && (entry.subresource ?? '') === subresource,
  );
  if (isKnown || !isOwnershipLong(entries)) return;
  throw new TooManyFieldsError(
    `the managedFields of the live object have more than ${maxOwnershipLength} characters, so no new manager can apply it; use an existing manager, an update or a patch`,
  );
}

function checkBody({ kind, applied }: ApplyRequest): void {
  if (applied.apiVersion !== apiVersionOf(kind) || applied.kind !== kind.kind) {
    const sent = describeKind(parseApiVersion(applied.apiVersion), applied.kind);
    throw new InvalidApplyError(`invalid object type: ${sent}`);
  }
  if ((applied.metadata.managedFields ?? null) !== null)
    throw new InvalidApplyError('metadata.managedFields must be nil');
  const problems = typedProblems(shapeOf(kind), applied as JsonObject, kind);
  if (problems.length > 0) {
    throw new SchemaMismatchError(
      `failed to create typed patch object (${describe(kind, applied)}): ${describeProblems(problems)}`,
    );
  }
}

function describe(kind: TrackedKind, { metadata }: TrackedObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}; ${describeKind(kind, kind.kind)}`;
}

function describeKind({ group, version }: { group: string; version: string }, kind: string): string {
  return `${group}/${version}, Kind=${kind}`;
}

/**
 * Returns the managers before the apply. If there are none, `before-first-apply` owns all current fields (rule SSA-28).
 */
function startingManagers({ kind, live, subresource, now }: ApplyRequest): Managers {
  const managers = readManagers(live?.metadata.managedFields as JsonValue | undefined, kind.group) ?? new Map();
  if (live === undefined || managers.size > 0) return managers;
  return recordUpdate({ kind, next: live, manager: 'before-first-apply', subresource, now }, managers);
}

interface Attempt {
  readonly merged: TrackedObject;
  readonly conflicts: ApplyConflict[];
  /** Makes the applier the owner of the conflicting fields, and returns the resulting managers. */
  assignFields(): Managers;
}

function attempt(request: ApplyRequest, starting: Managers): Attempt {
  const { kind, live, manager, subresource, now } = request;
  const shape = shapeOf(kind);
  const apiVersion = apiVersionOf(kind);
  const writable = writableFields(kind, subresource);
  const before = live === undefined ? { apiVersion, kind: kind.kind } : withoutManagedFields(live as JsonObject);
  const config = writablePart(request);
  const managers = reconcileManagers(kind, starting);
  const info = { manager, operation: 'Apply', apiVersion, subresource } as const;
  const identity = managerIdentity(info);
  const last = managers.get(identity);
  const fields = writable(fieldsOf(shape, config));
  managers.set(identity, { ...info, fields, ...(last?.time === undefined ? {} : { time: last.time }) });

  const overlaid = mergeTyped(shape, before, config);
  // In the usual case, the manager applies all of its previous fields again, so no field has to be removed.
  const isSameVersion = kind.versions === undefined || last?.apiVersion === apiVersion;
  const abandonsNothing = last === undefined || (isSameVersion && fields.includes(last.fields));
  const merged = abandonsNothing ? overlaid : pruneInVersions(kind, overlaid as TrackedObject, last, managers);
  const comparison = filterComparison(compareTyped(shape, before, merged), writable);
  const comparisonIn = comparisonsIn(kind, comparison, (other, convert) =>
    filterComparison(
      compareTyped(shapeOf(other), convertedMembers(convert, before), convertedMembers(convert, merged)),
      writableFields(other, subresource),
    ),
  );
  return {
    merged: withoutNullMetadata(merged),
    conflicts: findConflicts(managers, comparisonIn, identity),
    assignFields() {
      releaseFields(managers, comparisonIn, identity);
      const owned = withoutUntracked(fields);
      // Reuse an equal previous set, because the FieldsV1 of that set is cached.
      const same = last?.fields.equals(owned) === true ? last.fields : undefined;
      const changed = same === undefined || !equalJson(before, merged);
      if (owned.isEmpty) managers.delete(identity);
      else managers.set(identity, { ...info, fields: same ?? owned, time: changed ? now : (last?.time ?? now) });
      return managers;
    },
  };
}

function convertedMembers(convert: (object: TrackedObject) => TrackedObject, object: JsonValue): JsonObject {
  return withoutManagedFields(convert(object as TrackedObject) as JsonObject);
}

const identifying: readonly string[] = ['name', 'namespace', 'uid', 'resourceVersion'];

/** Returns the part of the applied object that its endpoint can write, and the members that identify the object. */
function writablePart({ kind, applied, subresource }: ApplyRequest): JsonObject {
  // Keep all fields, because the kind has rules that restore its reset fields after the merge.
  if (kind.resetFields?.[subresource] !== undefined) return applied as JsonObject;
  const { status, ...main } = applied as JsonObject;
  if (subresource === 'status' && kind.statusWritesMetadata === true) {
    const { spec: _, ...written } = applied as JsonObject;
    const kept = kind.statusKeepsMetadata ?? [];
    if (kept.length === 0) return written;
    const metadata = Object.entries(applied.metadata as JsonObject).filter(([name]) => !kept.includes(name));
    return { ...written, metadata: Object.fromEntries(metadata) };
  }
  if (subresource === 'status') {
    const metadata: JsonObject = {};
    for (const [name, value] of Object.entries(applied.metadata as JsonObject)) {
      if (identifying.includes(name)) metadata[name] = value;
    }
    const { apiVersion, kind: kindName } = applied;
    return { apiVersion, kind: kindName, metadata, ...(status === undefined ? {} : { status }) };
  }
  return kind.hasStatus || status === undefined ? main : { ...main, status };
}

/** Removes null members from the metadata, and replaces null labels and annotations by '' (rule META-10). */
function withoutNullMetadata(merged: JsonValue): TrackedObject {
  const object = merged as JsonObject;
  const metadata: JsonObject = {};
  for (const [name, value] of Object.entries((object.metadata ?? {}) as JsonObject)) {
    if (value === null) continue;
    const texts = (name === 'labels' || name === 'annotations') && isJsonObject(value);
    setMember(metadata, name, texts ? withoutNulls(value) : value);
  }
  return { ...object, metadata } as TrackedObject;
}

function withoutNulls(texts: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(texts)) setMember(result, key, value ?? '');
  return result;
}

function remainingConflicts({ kind, live, manager }: ApplyRequest, conflicts: ApplyConflict[]): ApplyConflict[] {
  if (conflicts.length === 0 || manager !== kubectlManager || live === undefined) return conflicts;
  const allowed = fieldsLastApplied(kind, live);
  if (allowed === undefined) return conflicts;
  return conflicts
    .map(({ owner, fields }) => ({ owner, fields: fields.difference(allowed) }))
    .filter(({ fields }) => !fields.isEmpty);
}
