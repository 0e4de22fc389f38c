import { equalJson, getMember, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import type { ManagedFieldsEntry } from '../../../../src/api/meta.ts';
import type { FieldPath } from './field-path.ts';
import { indexItemsByKey, type MergeValue } from './three-way-merge.ts';

/** A changed field, with its value before and after the change. */
export interface FieldChange {
  readonly steps: FieldPath;
  readonly before: MergeValue;
  readonly after: MergeValue;
}

/**
 * Returns all changed fields with the deepest possible paths. List items are compared by key, or by index if they have
 * no key. A list without keys whose length changed counts as one value.
 */
export function fieldChanges(before: MergeValue, after: MergeValue, steps: FieldPath = []): readonly FieldChange[] {
  if (before !== undefined && after !== undefined) {
    if (equalJson(before, after)) return [];
    if (isJsonObject(before) && isJsonObject(after)) {
      const names = new Set([...Object.keys(before), ...Object.keys(after)]);
      return [...names].flatMap((name) =>
        fieldChanges(getMember(before, name), getMember(after, name), [...steps, name]),
      );
    }
    if (Array.isArray(before) && Array.isArray(after)) {
      const [old, now] = indexItemsByKey([before, after]) ?? [];
      if (old !== undefined && now !== undefined) {
        return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
          const at = [...(now.has(key) ? now : old).keys()].indexOf(key);
          return fieldChanges(old.get(key), now.get(key), [...steps, at]);
        });
      }
      if (before.length === after.length) {
        return before.flatMap((item, at) => fieldChanges(item, after[at], [...steps, at]));
      }
    }
  }
  return before === after ? [] : [{ steps, before, after }];
}

/** The field manager that last wrote a field, and the time of that write. */
export interface FieldWriter {
  readonly manager: string;
  readonly time: string | undefined;
}

/**
 * Returns the manager that last wrote a field, according to the managed fields. For a removed field, which has no
 * manager, returns the last writer of the object. `undefined` if the managed fields contain no manager.
 */
export function fieldWriter(
  steps: FieldPath,
  object: JsonValue,
  entries: readonly ManagedFieldsEntry[],
): FieldWriter | undefined {
  const wrote = entries.filter(({ subresource }) => subresource === undefined || subresource === '');
  const owners = wrote.filter((entry) => owns(entry.fieldsV1, steps, object));
  const newest = [...(owners.length > 0 ? owners : wrote)].sort((a, b) => timeOf(a) - timeOf(b)).at(-1);
  return newest === undefined ? undefined : { manager: newest.manager ?? 'unknown', time: newest.time };
}

function timeOf({ time }: ManagedFieldsEntry): number {
  return time === undefined ? 0 : Date.parse(time);
}

function owns(fields: JsonObject, steps: FieldPath, value: JsonValue | undefined): boolean {
  const [step, ...rest] = steps;
  const members = Object.keys(fields).filter((name) => name !== '.');
  // True if the path ends here, or if this managed-fields entry owns the whole value that contains the field.
  if (step === undefined) return true;
  if (members.length === 0) return true;
  const inside = Array.isArray(value) && typeof step === 'number' ? value[step] : memberOf(value, step);
  return members.some((name) => {
    const next = getMember(fields, name);
    return isJsonObject(next) && refersToStep(name, step, inside) && owns(next, rest, inside);
  });
}

function memberOf(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  return isJsonObject(value) ? getMember(value, String(step)) : undefined;
}

/**
 * True if the managed-fields key `name` refers to the path step `step`. Keys start with `f:` (a member), `k:` (an item by
 * its key), `v:` (an item by its value) or `i:` (an item by its index).
 */
function refersToStep(name: string, step: string | number, inside: JsonValue | undefined): boolean {
  if (typeof step === 'string') return name === `f:${step}`;
  if (name.startsWith('i:')) return name === `i:${step}`;
  try {
    const key = JSON.parse(name.slice(2)) as JsonValue;
    if (name.startsWith('v:')) return inside !== undefined && equalJson(key, inside);
    if (!name.startsWith('k:') || !isJsonObject(key) || !isJsonObject(inside)) return false;
    return Object.entries(key).every(([member, value]) => equalJson(getMember(inside, member), value));
  } catch {
    return false;
  }
}
