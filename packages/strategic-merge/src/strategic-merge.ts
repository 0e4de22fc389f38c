import { goJsonTypeName, printGo } from '@flotilla/go-text';
import { cloneJson, getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import type { WorkMeter } from '@flotilla/work-meter';
import { hasPatchDirective, printGoString, unexpectedType, withoutDirectives, withoutNulls } from './directives.ts';
import { mergeAndOrderList, mergeLists, removeScalars } from './merge-lists.ts';
import { mergeMeter, withinLimit } from './merge-meter.ts';
import type { MergeSchema } from './merge-schema.ts';
import { MalformedPatchError, UnmergeablePatchError } from './patch-error.ts';
import { isReplaced, listMergeRule, memberPosition, type StrategicPosition } from './position.ts';

const retain = '$retainKeys';
const removal = '$deleteFromPrimitiveList';
const order = '$setElementOrder';

/** The kind of the object to patch, as far as a merge needs it. */
export interface MergedKind {
  readonly kind: string;
  /** The schema of the whole object, including `metadata`. */
  readonly schema: MergeSchema;
}

/**
 * Applies a strategic merge patch (rule PATCH-01). It works like a JSON merge patch, but lists are merged if the kind's
 * schema says so, and members whose name begins with `$` are directives. Returns a new document that shares nothing
 * with its inputs. Throws a MalformedPatchError or an UnmergeablePatchError with the message of the Kubernetes library.
 * The work is proportional to the total size of document and patch: a patch that repeats merge keys too often causes an
 * UnmergeablePatchError. The function recurses once per level of the patch, so the caller must limit the depth of
 * patches.
 */
export function applyStrategicMerge(kind: MergedKind, document: JsonObject, patch: JsonValue): JsonObject {
  if (patch === null) return cloneJson(document);
  if (!isJsonObject(patch)) {
    const type = goJsonTypeName(patch);
    throw new MalformedPatchError(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
  }
  return withinLimit(() => mergeMetered(kind, document, patch, mergeMeter(document, patch)));
}

/**
 * Applies a patch like `applyStrategicMerge`, and counts the visited list items. Also throws WorkLimitError if the
 * meter's limit is exceeded.
 */
export function mergeMetered(kind: MergedKind, document: JsonObject, patch: JsonObject, meter: WorkMeter): JsonObject {
  const root: StrategicPosition = { schema: kind.schema, name: kind.kind, meter, isRoot: true };
  return mergeObjects(root, cloneJson(document), patch);
}

/** Merges `patch` into `original` in place, and returns `original`. Does not change `patch`. */
function mergeObjects(position: StrategicPosition, original: JsonObject, patch: JsonObject): JsonObject {
  const directive = getMember(patch, '$patch');
  if (directive !== undefined) return applyDirective(directive, patch);
  dropUnretained(original, patch);
  const handled = new Set<string>([retain]);
  for (const name of Object.keys(patch)) {
    if (!name.startsWith(order)) continue;
    handled.add(name);
    const list = listNamed(name, order, invalidElementOrder);
    if (mergeInOrder(position, original, patch, list)) handled.add(list);
  }
  for (const [name, change] of Object.entries(patch)) {
    if (handled.has(name)) continue;
    if (name.startsWith(removal))
      removeFromList(position, original, listNamed(name, removal, invalidRemovalList), change);
    else mergeMember(position, original, name, change);
  }
  return original;
}

function applyDirective(directive: JsonValue, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive !== 'replace') {
    throw new UnmergeablePatchError(`unknown patch type: ${printGoString(directive)} in map: ${printGo(patch)}`);
  }
  const { $patch: _, ...replacement } = cloneJson(patch);
  return replacement;
}

function mergeMember(position: StrategicPosition, original: JsonObject, name: string, change: JsonValue): void {
  if (change === null) {
    delete original[name];
    return;
  }
  const present = getMember(original, name);
  if (isJsonObject(present) && isJsonObject(change)) {
    const below = memberPosition(position, name);
    setMember(original, name, isReplaced(below) ? cloneJson(change) : mergeObjects(below, present, change));
  } else if (Array.isArray(present) && Array.isArray(change)) {
    const rule = listMergeRule(position, name);
    setMember(original, name, rule.isMerged ? mergeLists(rule, present, change, mergeObjects) : cloneJson(change));
  } else {
    const added = hasPatchDirective(change) ? undefined : withoutDirectives(withoutNulls(change));
    if (added === undefined) delete original[name];
    else setMember(original, name, added);
  }
}

/** Removes the scalars `items` from a list. Ignores items that the list does not contain. */
function removeFromList(position: StrategicPosition, original: JsonObject, name: string, items: JsonValue): void {
  const present = getMember(original, name);
  if (items === null) delete original[name];
  else if (Array.isArray(present) && Array.isArray(items)) {
    setMember(original, name, removeScalars(listMergeRule(position, name), present, items, mergeObjects));
  } else if (isJsonObject(present) && isJsonObject(items)) {
    mergeMember(position, original, name, items);
  }
}

/**
 * Merges a list and sorts it by the patch's `$setElementOrder`. Returns true if the list was merged. The caller must
 * then skip the patch's member of the same name, which is already merged.
 */
function mergeInOrder(position: StrategicPosition, original: JsonObject, patch: JsonObject, name: string): boolean {
  const wanted = patch[`${order}/${name}`] as JsonValue;
  if (!Array.isArray(wanted)) throw unexpectedType('[]interface {}', wanted);
  const lists = { original: listAt(original, name), patch: listAt(patch, name), wanted };
  const result = mergeAndOrderList(listMergeRule(position, name), lists, mergeObjects);
  if (result === undefined) return false;
  setMember(original, name, result);
  return true;
}

function listAt(object: JsonObject, name: string): readonly JsonValue[] | undefined {
  const member = getMember(object, name);
  if (member === undefined || Array.isArray(member)) return member;
  throw unexpectedType('[]interface {}', member);
}

/**
 * Removes all members of `original` that `$retainKeys` does not list. Throws a MalformedPatchError if the patch
 * sets a member that `$retainKeys` does not list.
 */
function dropUnretained(original: JsonObject, patch: JsonObject): void {
  const names = getMember(patch, retain);
  if (names === undefined) return;
  if (!Array.isArray(names)) throw invalidRetainKeys();
  const retained = new Set<JsonValue>(names);
  for (const [name, change] of Object.entries(patch)) {
    const isExempt = name === retain || change === null || name.startsWith(removal) || name.startsWith(order);
    if (!isExempt && !retained.has(name)) throw invalidRetainKeys();
  }
  for (const name of Object.keys(original)) if (!retained.has(name)) delete original[name];
}

/** Returns the name of the list that a directive is for: `finalizers` for `$setElementOrder/finalizers`. */
function listNamed(name: string, prefix: string, invalidFormat: () => MalformedPatchError): string {
  if (!name.startsWith(`${prefix}/`)) throw invalidFormat();
  return name.slice(prefix.length + 1);
}

function invalidRemovalList(): MalformedPatchError {
  return new MalformedPatchError('invalid patch format of primitive list');
}

function invalidRetainKeys(): MalformedPatchError {
  return new MalformedPatchError('invalid patch format of retainKeys');
}

function invalidElementOrder(): MalformedPatchError {
  return new MalformedPatchError('invalid patch format of setElementOrder list');
}
