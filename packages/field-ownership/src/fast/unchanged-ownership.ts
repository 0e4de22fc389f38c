import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { apiVersionOf } from '@flotilla/kubernetes-formats';
import type { FieldSet } from '../field-set/field-set.ts';
import { fieldElement } from '../field-set/path-element.ts';
import { managedEntry } from '../managers/managers.ts';
import { isWritableMember, untracked } from '../tracked-fields.ts';
import type { ManagedFieldsEntry, TrackedObject } from '../tracked-object.ts';
import type { TrackedWrite } from '../tracked-write.ts';
import { type Shape, shapeOf } from '../typed/shape.ts';
import { memberShape } from '../typed/typed.ts';
import { cachedSet } from './fields-cache.ts';

/**
 * The maximum number of managedFields entries that the fast path handles. With more entries, the oldest ones may have
 * to be merged.
 */
const maxEntries = 10;

/**
 * Returns the managedFields after a write that only changes values of fields that the writer alone owns. Such a write
 * changes only the timestamp of the writer's entry. Most updates are such writes, and this function takes a fraction of
 * the time of a full comparison. Returns `undefined` for any other write.
 */
export function unchangedOwnership(write: TrackedWrite): ManagedFieldsEntry[] | undefined {
  const { kind, live, next, manager, subresource, now } = write;
  const entries = live?.metadata.managedFields;
  if (live === undefined || entries === undefined || entries.length === 0 || entries.length > maxEntries)
    return undefined;
  if (kind.goForm !== undefined || !equalJson(entries, next.metadata.managedFields)) return undefined;
  const shape = shapeOf(kind);
  const apiVersion = apiVersionOf(kind);
  const kept: ManagedFieldsEntry[] = [];
  const others: FieldSet[] = [];
  let own: FieldSet | undefined;
  let ownEntry: ManagedFieldsEntry | undefined;
  for (const entry of entries) {
    const set = isStandardEntry(entry, apiVersion) ? cachedSet(entry.fieldsV1) : undefined;
    if (set?.fitsShape !== shape) return undefined;
    if (entry.operation === 'Update' && belongsTo(entry, manager, subresource)) {
      if (own !== undefined) return undefined;
      own = set;
      ownEntry = entry;
    } else {
      // Update entries are sorted by time, so the writer's entry becomes the last one only if it is newer than all
      // others.
      if (entry.operation === 'Update' && (entry.time ?? now) >= now) return undefined;
      others.push(set);
      kept.push(copyEntry(entry, entry.time));
    }
  }
  const isWritable = (name: string) => isWritableMember(kind, subresource, name);
  const position = { shape, own, others, untracked, isWritable };
  const change = compareMembers(position, live as JsonObject, next as JsonObject);
  if (change === needsComparison) return undefined;
  if (change === noChange) return entries.map((entry) => copyEntry(entry, entry.time));
  if (ownEntry !== undefined) kept.push(copyEntry(ownEntry, now));
  return kept;
}

/** True if the entry has the same format as the entries that this server writes. */
function isStandardEntry(entry: ManagedFieldsEntry, apiVersion: string): boolean {
  const { operation, time, fieldsType } = entry;
  if (entry.apiVersion !== apiVersion || fieldsType !== 'FieldsV1') return false;
  if (operation !== 'Update' && operation !== 'Apply') return false;
  return time?.length === timeLength && time.endsWith('Z');
}

const timeLength = '2006-01-02T15:04:05Z'.length;

function belongsTo({ manager = '', subresource = '' }: ManagedFieldsEntry, by: string, through: string): boolean {
  return manager === by && subresource === through;
}

/**
 * Creates a new entry that shares only fieldsV1. If the whole entry were shared, it would be frozen and serialized as a
 * whole.
 */
function copyEntry(entry: ManagedFieldsEntry, time: string | undefined): ManagedFieldsEntry {
  const { manager = '', operation, apiVersion, subresource = '' } = entry;
  return managedEntry({ manager, operation, apiVersion, subresource }, time, entry.fieldsV1);
}

type Change = typeof noChange | typeof ownValuesChanged | typeof needsComparison;

/**
 * The results of a comparison: no tracked field changed, only values that the writer owns changed, or the full
 * comparison is needed.
 */
const noChange = 0;
const ownValuesChanged = 1;
const needsComparison = 2;

/**
 * A position in both objects, and the sets of fields below the position: fields of the writer, fields of other
 * managers, and untracked fields.
 */
interface Position {
  readonly shape: Shape;
  readonly own: FieldSet | undefined;
  readonly others: readonly FieldSet[];
  readonly untracked: FieldSet | undefined;
  /** True if the endpoint can write this member. Present only at the root of the object. */
  readonly isWritable?: (name: string) => boolean;
}

/** Compares the members of two objects. Returns `needsComparison` if a member was added or removed. */
function compareMembers(position: Position, before: JsonObject, after: JsonObject): Change {
  const { shape, isWritable } = position;
  if (shape.map === undefined || shape.map.atomic) return needsComparison;
  let change: Change = noChange;
  let size = 0;
  for (const name in before) {
    size++;
    const old = before[name];
    const next = after[name];
    if (old === next && (typeof old !== 'object' || shape.hasKeyedItems !== true)) continue;
    if (!Object.hasOwn(after, name)) return needsComparison;
    const found =
      name === 'metadata' &&
      isWritable !== undefined &&
      isMetadataUnchanged(position, before as TrackedObject, after as TrackedObject)
        ? noChange
        : compareMember(position, name, old, next);
    if (found === noChange) continue;
    if (found === needsComparison || isWritable?.(name) === false) return needsComparison;
    change = ownValuesChanged;
  }
  for (const _ in after) size--;
  return size === 0 ? change : needsComparison;
}

/**
 * True if no metadata field except the generation has changed, which is the common case. False if that is uncertain.
 */
function isMetadataUnchanged(
  { own, others }: Position,
  { metadata: before }: TrackedObject,
  { metadata: after }: TrackedObject,
): boolean {
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
  position: Position,
  name: string,
  old: JsonValue | undefined,
  next: JsonValue | undefined,
): Change {
  const { map } = position.shape;
  if (map === undefined) return needsComparison;
  const shape = memberShape(map, name);
  if (old === next && needsNoItemCheck(shape, old)) return noChange;
  if (isJsonObject(old) && isJsonObject(next) && shape.map?.atomic === false) {
    return compareMembers(below(position, name, shape), old, next);
  }
  if (!isComparedAsWhole(shape, old, next)) return needsComparison;
  return equalJson(old, next) ? noChange : valueChange(position, name);
}

/**
 * True if the value contains no list items that are identified by keys or by value, or if the value is a set of strings
 * only.
 */
function needsNoItemCheck({ hasKeyedItems, list }: Shape, value: JsonValue | undefined): boolean {
  if (hasKeyedItems !== true) return true;
  return Array.isArray(value) && list?.keys.length === 0 && value.every((item) => typeof item === 'string');
}

/** True if both values are compared as a whole. False for null and absent values. */
function isComparedAsWhole(
  { scalar, list, map }: Shape,
  old: JsonValue | undefined,
  next: JsonValue | undefined,
): boolean {
  if (Array.isArray(old)) return Array.isArray(next) && list?.atomic === true;
  if (isJsonObject(old)) return isJsonObject(next) && map?.atomic === true;
  return scalar !== undefined && isScalar(old) && isScalar(next);
}

function isScalar(value: JsonValue | undefined): boolean {
  return value !== null && value !== undefined && typeof value !== 'object';
}

function valueChange({ own, others, untracked: untrackedHere }: Position, name: string): Change {
  const element = fieldElement(name);
  for (const other of others) if (other.hasMember(element)) return needsComparison;
  const isOwn = own?.hasMember(element) === true;
  if (untrackedHere?.hasMember(element) === true) return isOwn ? needsComparison : noChange;
  return isOwn ? ownValuesChanged : needsComparison;
}

function below({ own, others, untracked: untrackedHere }: Position, name: string, shape: Shape): Position {
  const element = fieldElement(name);
  const deeper: FieldSet[] = [];
  for (const other of others) {
    const set = other.below(element);
    if (set !== undefined) deeper.push(set);
  }
  return { shape, own: own?.below(element), others: deeper, untracked: untrackedHere?.below(element) };
}
