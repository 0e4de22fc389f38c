import type { JsonValue } from '@flotilla/json';

/**
 * A description of a Kubernetes Go struct: its fields by JSON name, in the order of the JSON encoding. For each field,
 * it contains the treatment of empty values and the protobuf field number.
 */
export interface GoStruct {
  /** The name under which OpenAPI publishes the struct. */
  readonly name: string;
  readonly fields: readonly GoField[];
  /** The fields in the order of their protobuf numbers. */
  readonly byNumber: readonly GoField[];
  find(number: number): GoField | undefined;
}

/**
 * The type of a field that is not a struct. For some types, JSON and protobuf differ. In JSON, `time` and `microTime`
 * are RFC 3339 text, `bytes` is base64 text, `quantity` is text, `intOrString` is a number or text, `rawExtension` is
 * usually an object of any kind, and `json` and `fieldsV1` are any JSON value. In protobuf, times are seconds and
 * nanoseconds, `bytes` are raw bytes, and `quantity`, `intOrString`, `rawExtension`, `json`, `fieldsV1` and the list
 * `strings` are wrapped in a message.
 */
export type GoScalarType =
  | 'string'
  | 'int32'
  | 'int64'
  | 'bool'
  | 'double'
  | 'time'
  | 'microTime'
  | 'bytes'
  | 'quantity'
  | 'json'
  | 'fieldsV1'
  | 'strings'
  | 'intOrString'
  | 'rawExtension';

/**
 * A Go type with two JSON forms. One form is `struct`. `or` names the other form: a list of `struct` objects, a
 * boolean, or a list of strings.
 */
export interface GoUnionType {
  readonly struct: GoStruct;
  readonly or: 'structs' | 'bool' | 'strings';
}

export type GoFieldType = GoScalarType | GoStruct | GoUnionType;

export interface GoField {
  /** The JSON name. '' for an embedded struct, whose members become members of the outer struct in JSON. */
  readonly name: string;
  /** The protobuf number; 0 if protobuf does not encode the field. */
  readonly number: number;
  readonly type: GoFieldType;
  /**
   * The protobuf encoding of the field. `value`: always encoded. `pointer`: omitted if unset. `list`: repeated. `map`:
   * a map with string keys.
   */
  readonly shape: 'value' | 'pointer' | 'list' | 'map';
  /**
   * True if the JSON contains the member even if it is empty, such as `allowed: false` or `rules: null`. Structs and
   * times of shape `value` are always shown, except those that `omitEmptyField` defines.
   */
  readonly shown: boolean;
  /** True if OpenAPI lists the member as required. Validation does not use this. */
  readonly required: boolean;
  /** The default value that OpenAPI publishes. Optional: most defaults are not published. */
  readonly default?: JsonValue;
}

type FieldPlan = Omit<GoField, 'name'>;
type StructPlan = Readonly<Record<string, FieldPlan>>;

export function valueField(number: number, type: GoFieldType = 'string'): FieldPlan {
  return { number, type, shape: 'value', shown: typeof type !== 'string' || isNullIfZero(type), required: false };
}

export function alwaysPrintedField(number: number, type: GoFieldType = 'string'): FieldPlan {
  return { number, type, shape: 'value', shown: true, required: true };
}

/** Returns a field that JSON omits if it is empty, even if it is a struct or a time. */
export function omitEmptyField(number: number, type: GoFieldType): FieldPlan {
  return { number, type, shape: 'value', shown: false, required: false };
}

export function pointerField(number: number, type: GoFieldType = 'string'): FieldPlan {
  return { number, type, shape: 'pointer', shown: false, required: false };
}

/** Returns a pointer field that JSON prints as null if it is unset. */
export function alwaysPrintedPointer(number: number, type: GoFieldType = 'string'): FieldPlan {
  return { number, type, shape: 'pointer', shown: true, required: true };
}

export function listField(number: number, type: GoFieldType = 'string'): FieldPlan {
  return { number, type, shape: 'list', shown: false, required: false };
}

/** Returns a list field that JSON prints as null if it is unset. */
export function alwaysPrintedList(number: number, type: GoFieldType = 'string'): FieldPlan {
  return { number, type, shape: 'list', shown: true, required: true };
}

export function mapField(number: number, type: GoFieldType = 'string'): FieldPlan {
  return { number, type, shape: 'map', shown: false, required: false };
}

export function markRequired(plan: FieldPlan): FieldPlan {
  return { ...plan, required: true };
}

export function markOptional(plan: FieldPlan): FieldPlan {
  return { ...plan, required: false };
}

/**
 * Defines a struct. Pass `plan` as a function if it refers to structs that are defined later, or to the struct itself.
 */
export function defineStruct(name: string, plan: StructPlan | (() => StructPlan)): GoStruct {
  let known: (Pick<GoStruct, 'fields' | 'byNumber'> & { readonly numbered: ReadonlyMap<number, GoField> }) | undefined;
  const made = () => {
    if (known === undefined) {
      const members = Object.entries(typeof plan === 'function' ? plan() : plan);
      const fields = members.map(([member, field]) => ({ name: member, ...field }));
      known = {
        fields,
        byNumber: fields.toSorted((a, b) => a.number - b.number),
        numbered: new Map(fields.map((field) => [field.number, field])),
      };
    }
    return known;
  };
  return {
    name,
    get fields() {
      return made().fields;
    },
    get byNumber() {
      return made().byNumber;
    },
    find: (number) => made().numbered.get(number),
  };
}

export function isStruct(type: GoFieldType): type is GoStruct {
  return typeof type !== 'string' && 'fields' in type;
}

/** True if JSON can represent the zero value of the type only as null. */
export function isNullIfZero(type: GoFieldType): boolean {
  return type === 'time' || type === 'microTime' || type === 'rawExtension';
}
