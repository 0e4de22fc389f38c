import { printGo } from '@flotilla/go-text';
import { cloneJson, getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import type { ResourceKind } from '../../api/resource.ts';
import { badRequest, type StatusError, unprocessable } from '../../api/status.ts';
import { jsonTypeName } from './json-type-name.ts';
import {
  hasPatchDirective,
  printGoString,
  unexpectedType,
  withoutDirectives,
  withoutNulls,
} from './strategic-directives.ts';
import { mergeLists, orderList, removeScalars } from './strategic-list.ts';
import { isReplaced, listRule, memberPosition, rootPosition, type StrategicPosition } from './strategic-position.ts';

const retain = '$retainKeys';
const removal = '$deleteFromPrimitiveList';
const order = '$setElementOrder';

/**
 * Applies a strategic merge patch (rule PATCH-01): like a JSON merge patch, but lists merge if the kind's schema says
 * so, and members that begin with `$` are directives. Returns a new document that shares nothing with its inputs.
 * Throws a 400 or 422 where Kubernetes responds with 400, 422, or 500, with the same message.
 */
export function applyStrategicMerge(
  kind: Pick<ResourceKind, 'kind' | 'schema'>,
  document: JsonObject,
  patch: JsonValue,
): JsonObject {
  if (patch === null) return cloneJson(document);
  if (!isJsonObject(patch)) {
    throw badRequest(`json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`);
  }
  return mergeObjects(rootPosition(kind), cloneJson(document), patch);
}

/** Changes `original` into the result; the patch is not changed. */
function mergeObjects(place: StrategicPosition, original: JsonObject, patch: JsonObject): JsonObject {
  const directive = getMember(patch, '$patch');
  if (directive !== undefined) return applyDirective(directive, patch);
  dropUnretained(original, patch);
  const handled = new Set<string>([retain]);
  for (const name of Object.keys(patch)) {
    if (!name.startsWith(order)) continue;
    handled.add(name);
    const list = listNamed(name, order, invalidElementOrder);
    if (mergeInOrder(place, original, patch, list)) handled.add(list);
  }
  for (const [name, change] of Object.entries(patch)) {
    if (handled.has(name)) continue;
    if (name.startsWith(removal)) removeFromList(place, original, listNamed(name, removal, invalidRemovalList), change);
    else mergeMember(place, original, name, change);
  }
  return original;
}

function applyDirective(directive: JsonValue, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive !== 'replace') {
    throw unprocessable(`unknown patch type: ${printGoString(directive)} in map: ${printGo(patch)}`);
  }
  const { $patch: _, ...replacement } = cloneJson(patch);
  return replacement;
}

function mergeMember(place: StrategicPosition, original: JsonObject, name: string, change: JsonValue): void {
  if (change === null) {
    delete original[name];
    return;
  }
  const present = getMember(original, name);
  if (isJsonObject(present) && isJsonObject(change)) {
    const below = memberPosition(place, name);
    setMember(original, name, isReplaced(below) ? cloneJson(change) : mergeObjects(below, present, change));
  } else if (Array.isArray(present) && Array.isArray(change)) {
    const rule = listRule(place, name);
    setMember(original, name, rule.isMerged ? mergeLists(rule, present, change, mergeObjects) : cloneJson(change));
  } else {
    const added = hasPatchDirective(change) ? undefined : withoutDirectives(withoutNulls(change));
    if (added === undefined) delete original[name];
    else setMember(original, name, added);
  }
}

/** Items that are not in the list are ignored. */
function removeFromList(place: StrategicPosition, original: JsonObject, name: string, items: JsonValue): void {
  const present = getMember(original, name);
  if (items === null) delete original[name];
  else if (Array.isArray(present) && Array.isArray(items)) {
    setMember(original, name, removeScalars(listRule(place, name), present, items, mergeObjects));
  } else if (isJsonObject(present) && isJsonObject(items)) {
    mergeMember(place, original, name, items);
  }
}

/**
 * Merges a list and sorts it in the order that the patch requests. Returns true if this also handled the patch's list.
 */
function mergeInOrder(place: StrategicPosition, original: JsonObject, patch: JsonObject, name: string): boolean {
  const wanted = patch[`${order}/${name}`] as JsonValue;
  if (!Array.isArray(wanted)) throw unexpectedType('[]interface {}', wanted);
  const lists = { original: listAt(original, name), patch: listAt(patch, name), wanted };
  const result = orderList(listRule(place, name), lists, mergeObjects);
  if (result === undefined) return false;
  setMember(original, name, result);
  return true;
}

function listAt(object: JsonObject, name: string): readonly JsonValue[] | undefined {
  const member = getMember(object, name);
  if (member === undefined || Array.isArray(member)) return member;
  throw unexpectedType('[]interface {}', member);
}

/** Removes members that `$retainKeys` does not name; the patch itself may contain no others. */
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

/** The list that a directive refers to: `$setElementOrder/finalizers` refers to `finalizers`. */
function listNamed(name: string, prefix: string, refusal: () => StatusError): string {
  if (!name.startsWith(`${prefix}/`)) throw refusal();
  return name.slice(prefix.length + 1);
}

function invalidRemovalList(): StatusError {
  return badRequest('invalid patch format of primitive list');
}

function invalidRetainKeys(): StatusError {
  return badRequest('invalid patch format of retainKeys');
}

function invalidElementOrder(): StatusError {
  return badRequest('invalid patch format of setElementOrder list');
}
