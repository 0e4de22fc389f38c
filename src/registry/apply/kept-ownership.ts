import { apiVersionOf, type KubeObject, type ManagedFieldsEntry } from '../../api/meta.ts';
import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import type { FieldSet } from './field-set.ts';
import { knownSet } from './known-fields.ts';
import { managedEntry } from './managers.ts';
import { fieldElement } from './path-element.ts';
import { type Shape, shapeOf } from './shape.ts';
import type { TrackedWrite } from './track-update.ts';
import { untracked } from './tracked-fields.ts';
import { memberShape } from './typed.ts';

/** With more of them some may have to be merged. */
const mostEntries = 10;

/**
 * Field ownership after a write that has only given other values to fields which are the writer's already, and nobody
 * else's: all that changes is the time of its entry. Most updates are such writes, and to find that out takes a fraction
 * of what it takes to compare the objects and work out sets. Undefined: it is not known.
 */
export function keptOwnership(write: TrackedWrite): ManagedFieldsEntry[] | undefined {
  const { kind, live, next, manager, subresource, now } = write;
  const entries = live?.metadata.managedFields;
  if (live === undefined || entries === undefined || entries.length === 0 || entries.length > mostEntries)
    return undefined;
  if (kind.builtIn === true || !equalJson(entries, next.metadata.managedFields)) return undefined;
  const shape = shapeOf(kind);
  const apiVersion = apiVersionOf(kind);
  const kept: ManagedFieldsEntry[] = [];
  const others: FieldSet[] = [];
  let own: FieldSet | undefined;
  let ownEntry: ManagedFieldsEntry | undefined;
  for (const entry of entries) {
    const set = isUsual(entry, apiVersion) ? knownSet(entry.fieldsV1) : undefined;
    if (set?.fits !== shape) return undefined;
    if (entry.operation === 'Update' && isOf(entry, manager, subresource)) {
      if (own !== undefined) return undefined;
      own = set;
      ownEntry = entry;
    } else {
      // The writer's goes behind all other updates, which stand in the order of their times.
      if (entry.operation === 'Update' && (entry.time ?? now) >= now) return undefined;
      others.push(set);
      kept.push(anew(entry, entry.time));
    }
  }
  const isWritable = (name: string) => (name === 'status' && kind.hasStatus) === (subresource === 'status');
  const sides = { shape, own, others, untracked, isWritable };
  const change = compareMembers(sides, live as JsonObject, next as JsonObject);
  if (change === unknown) return undefined;
  if (change === none) return entries.map((entry) => anew(entry, entry.time));
  if (ownEntry !== undefined) kept.push(anew(ownEntry, now));
  return kept;
}

/** Whether it looks as those do that are written here. */
function isUsual(entry: ManagedFieldsEntry, apiVersion: string): boolean {
  const { operation, time, fieldsType } = entry;
  if (entry.apiVersion !== apiVersion || fieldsType !== 'FieldsV1') return false;
  if (operation !== 'Update' && operation !== 'Apply') return false;
  return time?.length === timeLength && time.endsWith('Z');
}

const timeLength = '2006-01-02T15:04:05Z'.length;

function isOf({ manager = '', subresource = '' }: ManagedFieldsEntry, by: string, through: string): boolean {
  return manager === by && subresource === through;
}

/** An entry is never shared: as a part that is frozen it would be written out with all of its fields. */
function anew(entry: ManagedFieldsEntry, time: string | undefined): ManagedFieldsEntry {
  const { manager = '', operation, apiVersion, subresource = '' } = entry;
  return managedEntry({ manager, operation, apiVersion, subresource }, time, entry.fieldsV1);
}

type Change = typeof none | typeof some | typeof unknown;

/** Nothing that is tracked, some values of the writer's, or something that has to be looked at in earnest. */
const none = 0;
const some = 1;
const unknown = 2;

/** A place in both objects, and what lies below it in the sets of the writer, of others, and of what is not tracked. */
interface Sides {
  readonly shape: Shape;
  readonly own: FieldSet | undefined;
  readonly others: readonly FieldSet[];
  readonly untracked: FieldSet | undefined;
  /** Of the root's members. */
  readonly isWritable?: (name: string) => boolean;
}

/** Finds nothing but members that both have: what came or went is not known here. */
function compareMembers(sides: Sides, before: JsonObject, after: JsonObject): Change {
  const { shape, isWritable } = sides;
  if (shape.map === undefined || shape.map.atomic) return unknown;
  let change: Change = none;
  let size = 0;
  for (const name in before) {
    size++;
    const old = before[name];
    const next = after[name];
    if (old === next && (typeof old !== 'object' || shape.tellsApart !== true)) continue;
    if (!Object.hasOwn(after, name)) return unknown;
    const found =
      name === 'metadata' && isWritable !== undefined && isLeft(sides, before as KubeObject, after as KubeObject)
        ? none
        : compareMember(sides, name, memberShape(shape.map, name), old, next);
    if (found === none) continue;
    if (found === unknown || isWritable?.(name) === false) return unknown;
    change = some;
  }
  for (const _ in after) size--;
  return size === 0 ? change : unknown;
}

/** Whether nothing of the metadata is another but its generation, as of most writes. False: it is not known. */
function isLeft({ own, others }: Sides, { metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean {
  if (before.finalizers !== undefined || before.ownerReferences !== undefined) return false;
  const isSame =
    before.labels === after.labels &&
    before.annotations === after.annotations &&
    after.finalizers === undefined &&
    after.ownerReferences === undefined &&
    before.name === after.name &&
    before.generateName === after.generateName &&
    before.namespace === after.namespace &&
    before.uid === after.uid &&
    before.creationTimestamp === after.creationTimestamp &&
    before.deletionTimestamp === after.deletionTimestamp &&
    before.deletionGracePeriodSeconds === after.deletionGracePeriodSeconds;
  if (!isSame) return false;
  for (const set of others) if (ownsGeneration(set)) return false;
  return own === undefined || !ownsGeneration(own);
}

function ownsGeneration(set: FieldSet): boolean {
  return set.below(metadataElement)?.hasMember(generationElement) === true;
}

const metadataElement = fieldElement('metadata');
const generationElement = fieldElement('generation');

function compareMember(
  sides: Sides,
  name: string,
  shape: Shape,
  old: JsonValue | undefined,
  next: JsonValue | undefined,
): Change {
  if (old === next && isTold(shape, old)) return none;
  if (isJsonObject(old) && isJsonObject(next) && shape.map?.atomic === false) {
    return compareMembers(below(sides, name, shape), old, next);
  }
  if (!isOneThing(shape, old, next)) return unknown;
  return equalJson(old, next) ? none : valueChange(sides, name);
}

/** Whether nothing in it has to be told apart, or only texts. */
function isTold({ tellsApart, list }: Shape, value: JsonValue | undefined): boolean {
  if (tellsApart !== true) return true;
  return Array.isArray(value) && list?.keys.length === 0 && value.every((item) => typeof item === 'string');
}

/** Whether both are compared as a whole. Null and what is not there are not. */
function isOneThing({ scalar, list, map }: Shape, old: JsonValue | undefined, next: JsonValue | undefined): boolean {
  if (Array.isArray(old)) return Array.isArray(next) && list?.atomic === true;
  if (isJsonObject(old)) return isJsonObject(next) && map?.atomic === true;
  return scalar !== undefined && isScalar(old) && isScalar(next);
}

function isScalar(value: JsonValue | undefined): boolean {
  return value !== null && value !== undefined && typeof value !== 'object';
}

function valueChange({ own, others, untracked: left }: Sides, name: string): Change {
  const element = fieldElement(name);
  for (const other of others) if (other.hasMember(element)) return unknown;
  const isOwn = own?.hasMember(element) === true;
  if (left?.hasMember(element) === true) return isOwn ? unknown : none;
  return isOwn ? some : unknown;
}

function below({ own, others, untracked: left }: Sides, name: string, shape: Shape): Sides {
  const element = fieldElement(name);
  const deeper: FieldSet[] = [];
  for (const other of others) {
    const set = other.below(element);
    if (set !== undefined) deeper.push(set);
  }
  return { shape, own: own?.below(element), others: deeper, untracked: left?.below(element) };
}
