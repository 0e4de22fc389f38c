import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { boundedErrors } from '../../../api/bounded-errors.ts';
import type { FieldError } from '../../../api/field-error.ts';
import { childPath, indexPath, keyPath } from '../../../api/schema/field-path.ts';
import { isScalarType, type StructTable, type TableField } from '../../../api/structs/struct-table.ts';

/** The position of a value in the object that is being validated. */
export interface FieldPosition {
  readonly path: string;
  /** The struct that contains the value. For the whole object, the object itself. */
  readonly parent: JsonObject;
  /** The whole object. */
  readonly root: JsonObject;
  /** The stored object. Absent for a create. */
  readonly old?: JsonObject;
  /**
   * Returns the errors of a struct inside the value, for checks that validate inner structs themselves
   * (`validatesInside`). Absent if a kind calls the check directly.
   */
  structErrors?(struct: string, object: JsonObject, path: string): Iterable<FieldError>;
}

/** Returns the errors of a value, worded as in Kubernetes. The types of the value were validated before. */
export type Check = (value: JsonValue | undefined, position: FieldPosition) => Iterable<FieldError>;

/** The rules of one struct. */
export interface StructRules {
  /** Checks of the struct as a whole, before its members. */
  readonly whole?: readonly Check[];
  /**
   * The checks of each member. The order of the members is the order in which Kubernetes reports the errors. The
   * structs inside a member are validated after the checks of that member. Members that are not listed are validated
   * last, in the order of the struct.
   */
  readonly members?: Readonly<Record<string, readonly Check[]>>;
  /**
   * By member, a function that returns the value to validate with the rules of the structs inside the member;
   * `undefined` to skip these rules. Optional; by default, the member itself is validated.
   */
  readonly inside?: Readonly<
    Record<string, (value: JsonValue | undefined, position: FieldPosition) => JsonValue | undefined>
  >;
  /** Checks of the struct as a whole, after its members. */
  readonly after?: readonly Check[];
  /** True if the checks themselves validate the structs inside, with `position.structErrors`. */
  readonly validatesInside?: boolean;
}

/** The rules of a kind in addition to the rules of its structs. */
export interface KindRules {
  /** Checks that compare an updated object with the stored object, for example to keep a field immutable. */
  readonly changes?: readonly Check[];
  /**
   * The groups of checks for an update, in the order in which they run. For some kinds, Kubernetes checks the structs
   * only at creation; for other kinds, it reports the errors in the `spec` twice.
   */
  readonly update: readonly ('structs' | 'spec' | 'changes')[];
  /** Checks of an object whose status is updated. */
  readonly status?: readonly Check[];
}

/** Validates objects with rules for the structs in a struct table. */
export class ObjectRules {
  readonly #table: StructTable;
  readonly #structs: ReadonlyMap<string, StructRules>;
  readonly #kinds: ReadonlyMap<string, KindRules>;
  /**
   * For each struct name, true if the struct, or a struct inside it, has rules. Structs without rules are not visited.
   */
  readonly #relevant = new Map<string, boolean>();

  constructor(
    table: StructTable,
    structs: Readonly<Record<string, StructRules>>,
    kinds: Readonly<Record<string, KindRules>>,
  ) {
    this.#table = table;
    this.#structs = new Map(Object.entries(structs));
    this.#kinds = new Map(Object.entries(kinds));
  }

  /** Returns the errors of an object whose struct is `kind`. `old` is the stored object, if there is one. */
  errorsOf(kind: string, object: JsonObject, old?: JsonObject): FieldError[] {
    return boundedErrors(this.#errors(kind, object, old));
  }

  /** Returns the errors of the structs of an updated object, without the kind's rules for changes. */
  structErrorsOf(kind: string, object: JsonObject, old: JsonObject): FieldError[] {
    return boundedErrors(this.#structErrors(kind, object, this.#positionOf(object, old)));
  }

  /** Returns the errors of an object whose status is updated. */
  statusErrorsOf(kind: string, object: JsonObject, old: JsonObject): FieldError[] {
    const position = this.#positionOf(object, old);
    return boundedErrors(all(this.#kinds.get(kind)?.status, object, position));
  }

  *#errors(kind: string, object: JsonObject, old: JsonObject | undefined): Generator<FieldError> {
    const rules = this.#kinds.get(kind);
    const position = this.#positionOf(object, old);
    for (const step of old === undefined ? (['structs'] as const) : (rules?.update ?? ['structs'])) {
      if (step === 'structs') yield* this.#structErrors(kind, object, position);
      else if (step === 'spec') yield* this.#specErrors(kind, object, position);
      else yield* all(rules?.changes, object, position);
    }
  }

  #positionOf(object: JsonObject, old: JsonObject | undefined): FieldPosition {
    const position: FieldPosition = {
      path: '',
      parent: object,
      root: object,
      ...(old === undefined ? {} : { old }),
      structErrors: (struct, inner, path) => this.#structErrors(struct, inner, { ...position, path, parent: inner }),
    };
    return position;
  }

  *#specErrors(kind: string, object: JsonObject, position: FieldPosition): Generator<FieldError> {
    const spec = this.#table.fieldsOf(kind)?.fields.find(({ name }) => name === 'spec');
    if (spec !== undefined) yield* this.#fieldErrors(kind, spec, object, position);
  }

  *#structErrors(name: string, object: JsonObject, position: FieldPosition): Generator<FieldError> {
    const rules = this.#structs.get(name);
    yield* all(rules?.whole, object, position);
    const fields = this.#table.fieldsOf(name)?.fields ?? [];
    const listed = Object.keys(rules?.members ?? {});
    const ordered = fields.toSorted((a, b) => rank(listed, a) - rank(listed, b));
    for (const field of ordered) yield* this.#fieldErrors(name, field, object, position);
    yield* all(rules?.after, object, position);
  }

  *#fieldErrors(struct: string, field: TableField, object: JsonObject, position: FieldPosition): Generator<FieldError> {
    const inner = isScalarType(field.type) ? undefined : this.#table.resolve(field.type, struct);
    if (field.name === '') {
      if (inner !== undefined) yield* this.#structErrors(inner, object, position);
      return;
    }
    const value = object[field.name] ?? undefined;
    const below: FieldPosition = { ...position, path: childPath(position.path, field.name), parent: object };
    const rules = this.#structs.get(struct);
    yield* all(rules?.members?.[field.name], value, below);
    if (inner === undefined || !this.#isRelevant(inner) || rules?.validatesInside === true) return;
    const replace = rules?.inside?.[field.name];
    const checked = replace === undefined ? value : replace(value ?? (field.shape === 'value' ? {} : undefined), below);
    if (replace !== undefined && checked === undefined) return;
    for (const [path, item] of structsIn(checked, field, below.path)) {
      yield* this.#structErrors(inner, item, { ...below, path });
    }
  }

  #isRelevant(name: string): boolean {
    const known = this.#relevant.get(name);
    if (known !== undefined) return known;
    const found = this.#hasRules(name, new Set());
    this.#relevant.set(name, found);
    return found;
  }

  #hasRules(name: string, visited: Set<string>): boolean {
    if (visited.has(name)) return false;
    visited.add(name);
    const fields = this.#table.fieldsOf(name)?.fields ?? [];
    const inside = fields.filter(({ type }) => !isScalarType(type)).map(({ type }) => this.#table.resolve(type, name));
    return this.#structs.has(name) || inside.some((struct) => this.#hasRules(struct, visited));
  }
}

function* all(
  checks: readonly Check[] | undefined,
  value: JsonValue | undefined,
  position: FieldPosition,
): Generator<FieldError> {
  for (const check of checks ?? []) yield* check(value, position);
}

/** Returns the position of a field among the fields with checks. Fields without checks come last. */
function rank(listed: readonly string[], { name }: TableField): number {
  const at = listed.indexOf(name);
  return at === -1 ? listed.length : at;
}

/** Returns the structs in a member with their paths. In Go, a struct that is not a pointer always exists. */
function* structsIn(
  value: JsonValue | undefined,
  { shape }: TableField,
  path: string,
): Generator<[path: string, struct: JsonObject]> {
  if (shape === 'list') {
    for (const [index, item] of (Array.isArray(value) ? value : []).entries()) {
      if (isJsonObject(item)) yield [indexPath(path, index), item];
    }
  } else if (shape === 'map') {
    for (const [key, item] of Object.entries(isJsonObject(value) ? value : {})) {
      if (isJsonObject(item)) yield [keyPath(path, key), item];
    }
  } else if (isJsonObject(value)) yield [path, value];
  else if (value === undefined && shape === 'value') yield [path, {}];
}
