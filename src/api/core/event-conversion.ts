import { canonicalJson, cloneJson, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import type { KubeObject } from '../meta.ts';

/**
 * Top-level members whose names differ between core v1 and events.k8s.io/v1 events. All other members are the same. One
 * function converts in both directions by swapping the names of each pair. If an event already contains a name of the
 * target version, that member is renamed as well, to a name that the target version does not know.
 */
const pairs = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
] as const;

const otherName = new Map<string, string>(
  pairs.flatMap(([core, group]) => [
    [core, group],
    [group, core],
  ]),
);

const otherVersion = new Map([
  ['v1', 'events.k8s.io/v1'],
  ['events.k8s.io/v1', 'v1'],
]);

/** Returns the name of a field in the other event version. Accepts paths of field selectors: `involvedObject.name`. */
export function convertEventField(path: string): string {
  const [first = '', ...rest] = path.split('.');
  return [otherName.get(first) ?? first, ...rest].join('.');
}

/**
 * Renames the top-level members of an event to those of the other version. Also converts the apiVersion, if present.
 */
export function convertEventMembers(members: JsonObject): JsonObject {
  const converted: JsonObject = {};
  for (const [name, member] of Object.entries(members)) {
    const version = name === 'apiVersion' && typeof member === 'string' ? otherVersion.get(member) : undefined;
    setMember(converted, otherName.get(name) ?? name, version ?? cloneJson(member));
  }
  return converted;
}

/** Converts a whole event to the other version, including its managed fields. Does not modify the given event. */
export function convertEvent(event: KubeObject): KubeObject {
  const converted = convertEventMembers(event as JsonObject) as KubeObject;
  const { managedFields } = converted.metadata;
  if (managedFields !== undefined) {
    converted.metadata.managedFields = managedFields.map((entry) => ({
      ...entry,
      apiVersion: otherVersion.get(entry.apiVersion) ?? entry.apiVersion,
      ...(isJsonObject(entry.fieldsV1) ? { fieldsV1: otherFieldSet(entry.fieldsV1) } : {}),
    }));
  }
  return converted;
}

/**
 * Converts the field set of a managedFields entry. Only keys of top-level fields differ, such as `f:involvedObject`.
 */
function otherFieldSet(fields: JsonObject): JsonObject {
  const converted: JsonObject = {};
  for (const [key, below] of Object.entries(fields)) {
    const name = key.startsWith('f:') ? otherName.get(key.slice(2)) : undefined;
    setMember(converted, name === undefined ? key : `f:${name}`, below);
  }
  return canonicalJson(converted);
}

/** Converts a JSON patch to the other event version. An invalid patch is returned unchanged; the patcher rejects it. */
export function convertEventPatch(operations: JsonValue): JsonValue {
  if (!Array.isArray(operations)) return operations;
  return operations.map((operation) => {
    if (!isJsonObject(operation)) return operation;
    const converted: JsonObject = { ...operation };
    for (const member of ['path', 'from']) {
      const pointer = converted[member];
      if (typeof pointer === 'string') converted[member] = otherPointer(pointer);
    }
    if (operation.path === '' && isJsonObject(operation.value)) converted.value = convertEventMembers(operation.value);
    if (operation.path === '/apiVersion' && typeof operation.value === 'string') {
      converted.value = otherVersion.get(operation.value) ?? operation.value;
    }
    return converted;
  });
}

function otherPointer(pointer: string): string {
  const [empty = '', first, ...rest] = pointer.split('/');
  if (first === undefined) return pointer;
  return [empty, otherName.get(first) ?? first, ...rest].join('/');
}
