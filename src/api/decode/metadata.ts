import { isJsonObject, type JsonObject, type JsonValue, setMember } from '../../lib/json-value.ts';
import { type ManagedFieldsEntry, type ObjectMeta, type OwnerReference, timestamp } from '../meta.ts';
import { isDateTime } from '../schema/format.ts';
import { DecodeError, goTypeOf, wrongType } from './decode-error.ts';

export interface ShapedMetadata {
  readonly metadata: ObjectMeta;
  /** Members that no object has, as paths in the order of the document. */
  readonly unknown: string[];
}

/**
 * Gives `metadata` the types that every object's has. Null counts as absent and empty members are left out, as Go does
 * on a round trip; unknown members are dropped and named. Throws DecodeError for a member of the wrong type. Members that
 * stand in `known`, which has gone through here, are as they have to be. What is right may be shared with `value`.
 */
export function shapeMetadata(value: JsonValue, path: string, known: ObjectMeta = noneKnown): ShapedMetadata {
  if (!isJsonObject(value)) {
    if (value === null) return { metadata: {}, unknown: [] };
    throw new DecodeError(`json: cannot unmarshal ${goTypeOf(value)} into Go value of type v1.ObjectMeta`);
  }
  if (value === known) return { metadata: known, unknown: [] };
  const metadata: JsonObject = {};
  if (isShaped(value, known)) {
    // Member by member: what is added to a spread later gives each object a hidden class of its own.
    for (const name in value) metadata[name] = value[name] as JsonValue;
    return { metadata: metadata as ObjectMeta, unknown: [] };
  }
  const unknown: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const shape = Object.hasOwn(metaShapes, name) ? metaShapes[name] : undefined;
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

const noneKnown: ObjectMeta = {};

/** Nearly all metadata holds names and texts only. False: it is not known. */
function isShaped(value: JsonObject, known: ObjectMeta): boolean {
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

interface Place {
  /** Go's struct that the member belongs to. */
  readonly struct: string;
  /** Where it stands inside the metadata, without the indexes of lists: `ownerReferences.uid`. */
  readonly member: string;
  /** Where it stands in the document. */
  readonly path: string;
  readonly unknown: string[];
}

/** Go's messages name a member by its innermost struct and its place inside the metadata, which it decodes alone. */
function mismatch(value: JsonValue, { struct, member }: Place, goType: string): DecodeError {
  return wrongType(value, `${struct}.${member}`, goType);
}

/** Gives the member as it is kept, or undefined for what is left out. */
type Shape = (value: JsonValue, place: Place) => JsonValue | undefined;

const text: Shape = (value, place) => {
  if (typeof value !== 'string') throw mismatch(value, place, 'string');
  return value === '' ? undefined : value;
};

const whole: Shape = (value, place) => {
  if (typeof value === 'bigint') return value;
  if (typeof value !== 'number') throw mismatch(value, place, 'int64');
  if (Number.isSafeInteger(value)) return value;
  const field = `${place.struct}.${place.member}`;
  throw new DecodeError(`json: cannot unmarshal number ${value} into Go struct field ${field} of type int64`);
};

const flag: Shape = (value, place) => {
  if (typeof value !== 'boolean') throw mismatch(value, place, 'bool');
  return value;
};

/** Kept as the server prints times: UTC, whole seconds. */
const time: Shape = (value, place) => {
  if (typeof value !== 'string') throw mismatch(value, place, 'string');
  const milliseconds = isDateTime(value) ? Date.parse(value.toUpperCase()) : Number.NaN;
  if (!Number.isNaN(milliseconds)) return timestamp(milliseconds);
  const quoted = JSON.stringify(value);
  throw new DecodeError(`parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`);
};

/** A null value becomes the empty string: metadata makes a round trip through a map of strings (rule META-10). */
const texts: Shape = (value, place) => {
  if (!isJsonObject(value)) throw mismatch(value, place, 'map[string]string');
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    if (member !== null && typeof member !== 'string') throw mismatch(member, place, 'string');
    setMember(kept, name, member ?? '');
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
};

const textList: Shape = (value, place) => {
  if (!Array.isArray(value)) throw mismatch(value, place, '[]string');
  if (value.length === 0) return undefined;
  return value.map((item) => {
    if (item !== null && typeof item !== 'string') throw mismatch(item, place, 'string');
    return item ?? '';
  });
};

const anything: Shape = (value) => value;

/** An entry of a list of structs, with what Go gives members that are not there. */
function struct(goType: string, members: Readonly<Record<string, Shape>>, zero: JsonObject): Shape {
  return (value, place) => {
    if (!isJsonObject(value)) throw mismatch(value, place, `v1.${goType}`);
    const kept: JsonObject = { ...zero };
    for (const [name, member] of Object.entries(value)) {
      const shape = Object.hasOwn(members, name) ? members[name] : undefined;
      if (shape === undefined) place.unknown.push(`${place.path}.${name}`);
      if (shape === undefined || member === null) continue;
      const path = `${place.path}.${name}`;
      const shaped = shape(member, {
        struct: goType,
        member: `${place.member}.${name}`,
        path,
        unknown: place.unknown,
      });
      if (shaped !== undefined) kept[name] = shaped;
    }
    return kept;
  };
}

function structList(goType: string, item: Shape, keepEmpty: boolean): Shape {
  return (value, place) => {
    if (!Array.isArray(value)) throw mismatch(value, place, `[]v1.${goType}`);
    if (value.length === 0 && !keepEmpty) return undefined;
    return value.map((entry, index) => item(entry ?? {}, { ...place, path: `${place.path}[${index}]` }) ?? {});
  };
}

const emptyOwner: OwnerReference = { apiVersion: '', kind: '', name: '', uid: '' };

const ownerReference = struct(
  'OwnerReference',
  { apiVersion: text, kind: text, name: text, uid: text, controller: flag, blockOwnerDeletion: flag },
  emptyOwner,
);

const managedFieldsMembers: Readonly<Record<keyof ManagedFieldsEntry, Shape>> = {
  manager: text,
  operation: text,
  apiVersion: text,
  time,
  fieldsType: text,
  fieldsV1: anything,
  subresource: text,
};

const metaShapes: Readonly<Record<string, Shape>> = {
  name: text,
  generateName: text,
  namespace: text,
  selfLink: (value, place) => {
    text(value, place);
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
  // An empty list is a wish to start anew, which apply understands (rule CREATE-06).
  managedFields: structList('ManagedFieldsEntry', struct('ManagedFieldsEntry', managedFieldsMembers, {}), true),
};
