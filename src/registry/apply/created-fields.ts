import { canonicalJson } from '../../lib/json-canonical.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import { type MapShape, type Shape, shapeOf } from './shape.ts';
import type { TrackedKind } from './tracked-fields.ts';
import { asList, asMap, memberShape, partFor } from './typed.ts';

/** Different structures remembered of one kind: clients use a few. Beyond it the oldest is forgotten. */
const mostKnown = 500;
/** Longer ones are not worth keeping. */
const longestOutline = 4096;

const known = new WeakMap<TrackedKind['schema'], Map<string, JsonObject>>();

/**
 * Who creates an object owns all of it, so its FieldsV1 follows from its structure alone, and most objects of a kind
 * have the same: it is worked out by `make` for the first and shared, frozen, by all others.
 */
export function createdFields(kind: TrackedKind, next: JsonObject, make: () => JsonObject): JsonObject {
  const outline = outlineOf(shapeOf(kind), next);
  if (outline === undefined || outline.length > longestOutline) return make();
  let fields = known.get(kind.schema);
  if (fields === undefined) {
    fields = new Map();
    known.set(kind.schema, fields);
  }
  const key = `${kind.hasStatus === true}${outline}`;
  const found = fields.get(key);
  if (found !== undefined) return found;
  const made = canonicalJson(make());
  fields.set(key, made);
  const [oldest] = fields.size > mostKnown ? fields.keys() : [];
  if (oldest !== undefined) fields.delete(oldest);
  return made;
}

/** The names of all members that field ownership tells apart; undefined where that also depends on values. */
function outlineOf(shape: Shape, value: JsonValue): string | undefined {
  const part = partFor(shape, value);
  if (part === 'map' && shape.map !== undefined && !shape.map.atomic) return mapOutline(shape.map, asMap(value) ?? {});
  if (part === 'list' && shape.list !== undefined && !shape.list.atomic) {
    return (asList(value) ?? []).length === 0 ? '.' : undefined;
  }
  return '.';
}

function mapOutline(map: MapShape, members: JsonObject): string | undefined {
  let text = '';
  for (const name of Object.keys(members)) {
    const below = outlineOf(memberShape(map, name), members[name] as JsonValue);
    if (below === undefined) return undefined;
    text += `${name.length} ${name}${below}`;
  }
  return text === '' ? '.' : `{${text}}`;
}
