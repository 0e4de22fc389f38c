/**
 * A Kubernetes Go struct as data: its members by JSON name, in the order of its JSON encoding, how they are printed
 * when empty, and their protobuf field numbers, which never change.
 */
export interface GoStruct {
  /** The name under which OpenAPI publishes the struct. */
  readonly name: string;
  readonly fields: readonly Field[];
  /** The fields in the order of the protobuf encoding. */
  readonly byNumber: readonly Field[];
  find(number: number): Field | undefined;
}

/**
 * Types whose JSON and protobuf encodings differ: `time` and `formatMicroTime` are RFC 3339 text, and seconds with
 * nanoseconds in protobuf; `bytes` is base64 text; `quantity` is text in a separate message; `json` and `fieldsV1` are
 * any JSON value, as text in a message; `strings` is a list in a message that contains nothing else.
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
  | 'strings';

/** A union: a struct, or a list of structs, a boolean, or a list of strings. */
export interface UnionType {
  readonly struct: GoStruct;
  readonly or: 'structs' | 'bool' | 'strings';
}

export type FieldType = GoScalarType | GoStruct | UnionType;

export interface Field {
  /** '' for an embedded struct, whose members JSON inlines into the outer struct. */
  readonly name: string;
  readonly number: number;
  readonly type: FieldType;
  /** `value`: always encoded. `pointer`: optional in both encodings. `map`: keys are strings. */
  readonly shape: 'value' | 'pointer' | 'list' | 'map';
  /**
   * True if JSON contains the member even if it is empty: `allowed: false`, `rules: null`. Structs and times always
   * are.
   */
  readonly shown: boolean;
  /** True if OpenAPI lists the member as required. Validation of a kind is separate. */
  readonly required: boolean;
}

type FieldPlan = Omit<Field, 'name'>;
type StructPlan = Readonly<Record<string, FieldPlan>>;

export function value(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'value', shown: typeof type !== 'string' || isTime(type), required: false };
}

export function alwaysPrinted(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'value', shown: true, required: true };
}

/** A value that is omitted when empty, even if it is a struct or a time. */
export function omitEmpty(number: number, type: FieldType): FieldPlan {
  return { number, type, shape: 'value', shown: false, required: false };
}

export function pointer(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'pointer', shown: false, required: false };
}

/** A pointer that JSON prints as null if it is unset. */
export function alwaysPrintedPointer(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'pointer', shown: true, required: true };
}

export function list(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'list', shown: false, required: false };
}

/** A list that JSON prints as null if it is unset. */
export function alwaysPrintedList(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'list', shown: true, required: true };
}

export function map(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'map', shown: false, required: false };
}

export function markRequired(plan: FieldPlan): FieldPlan {
  return { ...plan, required: true };
}

export function markOptional(plan: FieldPlan): FieldPlan {
  return { ...plan, required: false };
}

/** A plan that is a function can refer to structs that are defined later, including itself. */
export function struct(name: string, plan: StructPlan | (() => StructPlan)): GoStruct {
  let known: (Pick<GoStruct, 'fields' | 'byNumber'> & { readonly numbered: ReadonlyMap<number, Field> }) | undefined;
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

export function isStruct(type: FieldType): type is GoStruct {
  return typeof type !== 'string' && 'fields' in type;
}

export function isTime(type: FieldType): type is 'time' | 'microTime' {
  return type === 'time' || type === 'microTime';
}
