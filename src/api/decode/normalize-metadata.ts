import { fastPathsEnabled } from '@flotilla/fast-paths';
import { isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { isDateTime } from '@flotilla/kubernetes-formats';
import { type ManagedFieldsEntry, type ObjectMeta, type OwnerReference, timestamp } from '../meta.ts';
import { DecodeError, goDecoderTypeName, wrongTypeError } from './decode-error.ts';

export interface NormalizedMetadata {
  readonly metadata: ObjectMeta;
  /** Paths of unknown members, in the order of the document. */
  readonly unknown: string[];
}

/**
 * Normalizes `metadata` to the types of ObjectMeta, as if Go decoded and encoded it. Null counts as absent, and empty
 * members are omitted. Unknown members are dropped and reported. Throws DecodeError for a member of the wrong type.
 * `known` is metadata that is already normalized; the fast path does not check members that are identical to members of
 * `known`. The result may share values with `value`.
 */
export function normalizeMetadata(value: JsonValue, path: string, known: ObjectMeta = noMetadata): NormalizedMetadata {
  if (!isJsonObject(value)) {
    if (value === null) return { metadata: {}, unknown: [] };
    throw new DecodeError(`json: cannot unmarshal ${goDecoderTypeName(value)} into Go value of type v1.ObjectMeta`);
  }
  if (fastPathsEnabled() && value === known) return { metadata: known, unknown: [] };
  const metadata: JsonObject = {};
  if (fastPathsEnabled() && isNormalized(value, known)) {
    // Copy the members one by one instead of with a spread. Other code adds members to the result later, and V8 would
    // then give each spread object its own hidden class.
    for (const name in value) metadata[name] = value[name] as JsonValue;
    return { metadata: metadata as ObjectMeta, unknown: [] };
  }
  const unknown: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const shape = Object.hasOwn(metaNormalizers, name) ? metaNormalizers[name] : undefined;
    if (shape === undefined) {
      unknown.push(`${path}.${name}`);
      continue;
    }
    if (member === null) continue;
    const shaped = shape(member, { struct: 'ObjectMeta', member: name, path: `${path}.${name}`, unknown });
    if (shaped !== undefined) metadata[name] = shaped;
  }
  return { metadata: metadata as ObjectMeta, unknown };
}

const noMetadata: ObjectMeta = {};

/**
 * Fast path: true if the metadata can be copied unchanged. Supports only the members in the `switch` and members that
 * are identical to those of `known`. If false, each member must be normalized.
 */
function isNormalized(value: JsonObject, known: ObjectMeta): boolean {
  for (const name in value) {
    const member = value[name];
    if (member !== undefined && member === known[name as keyof ObjectMeta]) continue;
    switch (name) {
      case 'name':
      case 'generateName':
      case 'namespace':
      case 'uid':
      case 'resourceVersion':
        if (typeof member !== 'string' || member === '') return false;
        break;
      case 'labels':
      case 'annotations':
        if (!areTexts(member)) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

function areTexts(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value)) return false;
  let size = 0;
  for (const name in value) {
    if (typeof value[name] !== 'string') return false;
    size++;
  }
  return size > 0;
}

interface Location {
  /** The Go struct that contains the member. */
  readonly struct: string;
  /** Path inside the metadata, without list indexes: `ownerReferences.uid`. */
  readonly member: string;
  /** Path in the document, with list indexes. */
  readonly path: string;
  readonly unknown: string[];
}

/**
 * Go decodes the metadata separately, so its messages contain the innermost struct and the path inside the metadata.
 */
function mismatch(value: JsonValue, { struct, member }: Location, goType: string): DecodeError {
  return wrongTypeError(value, `${struct}.${member}`, goType);
}

/** A function that returns the normalized value of a member, or `undefined` to omit the member. */
type Normalizer = (value: JsonValue, location: Location) => JsonValue | undefined;

const text: Normalizer = (value, location) => {
  if (typeof value !== 'string') throw mismatch(value, location, 'string');
  return value === '' ? undefined : value;
};

const whole: Normalizer = (value, location) => {
  if (typeof value === 'bigint') return value;
  if (typeof value !== 'number') throw mismatch(value, location, 'int64');
  if (Number.isSafeInteger(value)) return value;
  const field = `${location.struct}.${location.member}`;
  throw new DecodeError(`json: cannot unmarshal number ${value} into Go struct field ${field} of type int64`);
};

const flag: Normalizer = (value, location) => {
  if (typeof value !== 'boolean') throw mismatch(value, location, 'bool');
  return value;
};

/** Normalizes a time to the format that the server prints: UTC, whole seconds. */
const time: Normalizer = (value, location) => {
  if (typeof value !== 'string') throw mismatch(value, location, 'string');
  const milliseconds = isDateTime(value) ? Date.parse(value.toUpperCase()) : Number.NaN;
  if (!Number.isNaN(milliseconds)) return timestamp(milliseconds);
  const quoted = JSON.stringify(value);
  throw new DecodeError(`parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`);
};

/** Normalizes a map of strings. A null value becomes the empty string, as in Go (rule META-10). */
const texts: Normalizer = (value, location) => {
  if (!isJsonObject(value)) throw mismatch(value, location, 'map[string]string');
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    if (member !== null && typeof member !== 'string') throw mismatch(member, location, 'string');
    setMember(kept, name, member ?? '');
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
};

const textList: Normalizer = (value, location) => {
  if (!Array.isArray(value)) throw mismatch(value, location, '[]string');
  if (value.length === 0) return undefined;
  return value.map((item) => {
    if (item !== null && typeof item !== 'string') throw mismatch(item, location, 'string');
    return item ?? '';
  });
};

const anything: Normalizer = (value) => value;

/** Normalizes a struct in a list. Absent members get Go's zero values. */
function struct(goType: string, members: Readonly<Record<string, Normalizer>>, zero: JsonObject): Normalizer {
  return (value, location) => {
    if (!isJsonObject(value)) throw mismatch(value, location, `v1.${goType}`);
    const kept: JsonObject = { ...zero };
    for (const [name, member] of Object.entries(value)) {
      const shape = Object.hasOwn(members, name) ? members[name] : undefined;
      if (shape === undefined) location.unknown.push(`${location.path}.${name}`);
      if (shape === undefined || member === null) continue;
      const path = `${location.path}.${name}`;
      const shaped = shape(member, {
        struct: goType,
        member: `${location.member}.${name}`,
        path,
        unknown: location.unknown,
      });
      if (shaped !== undefined) kept[name] = shaped;
    }
    return kept;
  };
}

function structList(goType: string, item: Normalizer, keepEmpty: boolean): Normalizer {
  return (value, location) => {
    if (!Array.isArray(value)) throw mismatch(value, location, `[]v1.${goType}`);
    if (value.length === 0 && !keepEmpty) return undefined;
    return value.map((entry, index) => item(entry ?? {}, { ...location, path: `${location.path}[${index}]` }) ?? {});
  };
}

const emptyOwner: OwnerReference = { apiVersion: '', kind: '', name: '', uid: '' };

const ownerReference = struct(
  'OwnerReference',
  { apiVersion: text, kind: text, name: text, uid: text, controller: flag, blockOwnerDeletion: flag },
  emptyOwner,
);

const managedFieldsMembers: Readonly<Record<keyof ManagedFieldsEntry, Normalizer>> = {
  manager: text,
  operation: text,
  apiVersion: text,
  time,
  fieldsType: text,
  fieldsV1: anything,
  subresource: text,
};

const metaNormalizers: Readonly<Record<string, Normalizer>> = {
  name: text,
  generateName: text,
  namespace: text,
  selfLink: (value, location) => {
    text(value, location);
    return undefined;
  },
  uid: text,
  resourceVersion: text,
  generation: whole,
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: whole,
  labels: texts,
  annotations: texts,
  ownerReferences: structList('OwnerReference', ownerReference, false),
  finalizers: textList,
  // An empty list is kept, because server-side apply uses it to reset the managed fields (rule CREATE-06).
  managedFields: structList('ManagedFieldsEntry', struct('ManagedFieldsEntry', managedFieldsMembers, {}), true),
};
