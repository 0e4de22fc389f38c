import { canonicalJson } from '../../lib/json-canonical.ts';
import { cloneJson, isJsonObject, type JsonObject, type JsonValue, setMember } from '../../lib/json-value.ts';
import type { KubeObject } from '../meta.ts';

/**
 * Core v1 and events.k8s.io/v1 name the same members differently at the top level and are alike below. Each pair is
 * swapped, so one function goes both ways, and a name that belongs to the other form becomes one that is unknown.
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

/** The name of a field in the other form; takes paths as field selectors have them: `involvedObject.name`. */
export function otherEventField(path: string): string {
  const [first = '', ...rest] = path.split('.');
  return [otherName.get(first) ?? first, ...rest].join('.');
}

/** The members at the top in the other form; the apiVersion is turned over too, where there is one. */
export function otherEventMembers(members: JsonObject): JsonObject {
  const turned: JsonObject = {};
  for (const [name, member] of Object.entries(members)) {
    const version = name === 'apiVersion' && typeof member === 'string' ? otherVersion.get(member) : undefined;
    setMember(turned, otherName.get(name) ?? name, version ?? cloneJson(member));
  }
  return turned;
}

/** A whole event in the other form, its field ownership included. Never changes what it is given. */
export function otherEvent(event: KubeObject): KubeObject {
  const turned = otherEventMembers(event as JsonObject) as KubeObject;
  const { managedFields } = turned.metadata;
  if (managedFields !== undefined) {
    turned.metadata.managedFields = managedFields.map((entry) => ({
      ...entry,
      apiVersion: otherVersion.get(entry.apiVersion) ?? entry.apiVersion,
      ...(isJsonObject(entry.fieldsV1) ? { fieldsV1: otherFieldSet(entry.fieldsV1) } : {}),
    }));
  }
  return turned;
}

/** Owned fields at the top: `f:involvedObject`. */
function otherFieldSet(fields: JsonObject): JsonObject {
  const turned: JsonObject = {};
  for (const [key, below] of Object.entries(fields)) {
    const name = key.startsWith('f:') ? otherName.get(key.slice(2)) : undefined;
    setMember(turned, name === undefined ? key : `f:${name}`, below);
  }
  return canonicalJson(turned);
}

/** A JSON patch against one form as a patch against the other; what is no patch is left for the patcher to refuse. */
export function otherEventPatch(operations: JsonValue): JsonValue {
  if (!Array.isArray(operations)) return operations;
  return operations.map((operation) => {
    if (!isJsonObject(operation)) return operation;
    const turned: JsonObject = { ...operation };
    for (const member of ['path', 'from']) {
      const pointer = turned[member];
      if (typeof pointer === 'string') turned[member] = otherPointer(pointer);
    }
    if (operation.path === '' && isJsonObject(operation.value)) turned.value = otherEventMembers(operation.value);
    if (operation.path === '/apiVersion' && typeof operation.value === 'string') {
      turned.value = otherVersion.get(operation.value) ?? operation.value;
    }
    return turned;
  });
}

function otherPointer(pointer: string): string {
  const [empty = '', first, ...rest] = pointer.split('/');
  if (first === undefined) return pointer;
  return [empty, otherName.get(first) ?? first, ...rest].join('/');
}
