import { canonicalJson, type JsonObject, type JsonValue } from '@flotilla/json';
import type { TrackedKind } from '../tracked-kind.ts';
import { type MapShape, type Shape, shapeOf } from '../typed/shape.ts';
import { asList, asMap, memberShape, shapePartFor } from '../typed/typed.ts';
import { internFields } from './fields-cache.ts';

/**
 * The maximum number of cached steps per kind, of about 50 bytes each. A larger cache is emptied. Few steps are needed,
 * because clients create most objects with the same sets of members.
 */
const maxSteps = 20_000;
/** The maximum length of an outline. Objects with a longer outline, that is, with more members, are not cached. */
const maxOutlineLength = 1_000;

const outlinesBySchema = new WeakMap<TrackedKind['schema'], Outlines>();

/**
 * Returns the FieldsV1 of a new object. The creator owns all fields, so FieldsV1 depends only on the names of the
 * members, which are equal for most objects of a kind. `make` computes the FieldsV1 for the first object; all later
 * objects share the frozen result.
 */
export function createdFields(kind: TrackedKind, next: JsonObject, make: () => JsonObject): JsonObject {
  let outlines = outlinesBySchema.get(kind.schema);
  if (outlines === undefined || outlines.steps > maxSteps) {
    outlines = new Outlines();
    outlinesBySchema.set(kind.schema, outlines);
  }
  const end = outlines.endOf(shapeOf(kind), next, kind.hasStatus === true);
  if (end === undefined) return make();
  end.fields ??= internFields(canonicalJson(make()));
  return end.fields;
}

/** Tokens of an outline that are not member names: a value that is owned as a whole, and the start and end of a map. */
const whole = 0;
const begin = 1;
const end = 2;

type Token = string | number;

/** A node in the tree of outlines, with its possible next nodes. Almost every node has only one next node. */
class Step {
  fields: JsonObject | undefined;
  /** The shape of the member whose name is the token that leads to this step. */
  shape: Shape | undefined;
  #token: Token | undefined;
  #next: Step | undefined;
  #others: Map<Token, Step> | undefined;

  next(token: Token): Step | undefined {
    return token === this.#token ? this.#next : this.#others?.get(token);
  }

  add(token: Token): Step {
    const step = new Step();
    if (this.#next === undefined) {
      this.#token = token;
      this.#next = step;
    } else {
      this.#others ??= new Map();
      this.#others.set(token, step);
    }
    return step;
  }
}

/** A tree of the outlines of a kind's objects. An outline lists the names of all members that can have an owner. */
class Outlines {
  readonly #start = new Step();
  steps = 0;
  #remaining = 0;

  /** Returns the last step of a value's outline; `undefined` if the outline is too long or depends on list items. */
  endOf(shape: Shape, value: JsonValue, hasStatus: boolean): Step | undefined {
    this.#remaining = maxOutlineLength;
    const started = this.#step(this.#start, hasStatus ? begin : end);
    return started && this.#outline(started, shape, value);
  }

  #outline(from: Step, shape: Shape, value: JsonValue): Step | undefined {
    const part = shapePartFor(shape, value);
    if (part === 'map' && shape.map !== undefined && !shape.map.atomic) {
      return this.#members(from, shape.map, asMap(value) ?? {});
    }
    const isItems = part === 'list' && shape.list !== undefined && !shape.list.atomic;
    return isItems && (asList(value) ?? []).length > 0 ? undefined : this.#step(from, whole);
  }

  #members(from: Step, map: MapShape, members: JsonObject): Step | undefined {
    let at: Step | undefined;
    for (const name in members) {
      at = this.#step(at ?? this.#step(from, begin), name);
      if (at === undefined) return undefined;
      at.shape ??= memberShape(map, name);
      at = this.#outline(at, at.shape, members[name] as JsonValue);
      if (at === undefined) return undefined;
    }
    return this.#step(at ?? from, at === undefined ? whole : end);
  }

  #step(from: Step | undefined, token: Token): Step | undefined {
    if (from === undefined || this.#remaining-- === 0) return undefined;
    const found = from.next(token);
    if (found !== undefined) return found;
    this.steps++;
    return from.add(token);
  }
}
