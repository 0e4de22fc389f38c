import { cloneJson, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { isScalarType, type StructTable, type TableField } from './struct-table.ts';

/** Sets the defaults of one struct in `object`. `now` is the time of the request, in milliseconds since the epoch. */
export type StructDefault = (object: JsonObject, now: number) => void;

/** The functions for defaults that the generated table does not contain, by struct name, such as `core.Container`. */
export type StructDefaults = ReadonlyMap<string, StructDefault>;

/** Sets the defaults of objects, as Kubernetes does when it decodes them. */
export class ObjectDefaults {
  readonly #table: StructTable;
  readonly #functions: StructDefaults;
  /**
   * Caches, for each struct name, whether the struct or a nested struct has defaults. Structs without defaults are not
   * visited.
   */
  readonly #relevant = new Map<string, boolean>();

  constructor(table: StructTable, functions: StructDefaults) {
    this.#table = table;
    this.#functions = functions;
  }

  /**
   * Sets the defaults of a struct from the outside in: first calls the struct's function, then sets the default values
   * in the table, then the defaults of nested structs. Changes `object`. Ignores members of the wrong type, which
   * validation reports.
   */
  apply(name: string, object: JsonObject, now: number): void {
    if (!this.#isRelevant(name)) return;
    this.#functions.get(name)?.(object, now);
    for (const field of this.#table.fieldsOf(name)?.fields ?? []) {
      const inner = isScalarType(field.type) ? undefined : this.#table.resolve(field.type, name);
      if (inner === undefined) setDefault(field, object);
      else if (field.name === '') this.apply(inner, object, now);
      else if (this.#isRelevant(inner)) this.#applyInside(field, inner, object, now);
    }
  }

  #applyInside({ name, shape }: TableField, struct: string, object: JsonObject, now: number): void {
    const given = object[name] ?? undefined;
    if (given === undefined && shape === 'value') {
      // Create the struct if it is absent, because in Go a struct that is not a pointer always exists.
      const made: JsonObject = {};
      this.apply(struct, made, now);
      if (Object.keys(made).length > 0) setMember(object, name, made);
      return;
    }
    for (const item of objectsIn(given, shape)) this.apply(struct, item, now);
  }

  #isRelevant(name: string): boolean {
    const known = this.#relevant.get(name);
    if (known !== undefined) return known;
    const found = this.#hasDefaults(name, new Set());
    this.#relevant.set(name, found);
    return found;
  }

  /**
   * Searches a struct and its nested structs for defaults, except the structs in `visited`. Structs may contain
   * themselves.
   */
  #hasDefaults(name: string, visited: Set<string>): boolean {
    if (visited.has(name)) return false;
    visited.add(name);
    if (this.#functions.has(name)) return true;
    const fields = this.#table.fieldsOf(name)?.fields ?? [];
    return fields.some((field) =>
      isScalarType(field.type) ? hasDefault(field) : this.#hasDefaults(this.#table.resolve(field.type, name), visited),
    );
  }
}

/**
 * True if the table has a default for the field and that default has an effect. A default that is the zero value has no
 * effect unless the field is a pointer.
 */
function hasDefault(field: TableField): boolean {
  return field.default !== undefined && !(field.shape === 'value' && isZero(field.default));
}

function setDefault(field: TableField, object: JsonObject): void {
  if (field.default === undefined || !hasDefault(field)) return;
  const given = object[field.name] ?? undefined;
  // If a field is not a pointer, Go cannot distinguish its absence from its zero value.
  const isAbsent = given === undefined || (field.shape === 'value' && isZero(given));
  if (isAbsent) setMember(object, field.name, cloneJson(field.default));
}

function isZero(value: JsonValue): boolean {
  return value === '' || value === 0 || value === false;
}

function objectsIn(value: JsonValue | undefined, shape: TableField['shape']): JsonObject[] {
  if (shape === 'list') return Array.isArray(value) ? value.filter(isJsonObject) : [];
  if (!isJsonObject(value)) return [];
  return shape === 'map' ? Object.values(value).filter(isJsonObject) : [value];
}
