/**
 * A struct of Kubernetes' Go types as data: its members by their JSON names, in the order in which its JSON has them,
 * what is printed of them when they are empty, and their numbers in protobuf, which never change.
 */
export interface GoStruct {
  /** The name under which OpenAPI publishes it. */
  readonly name: string;
  readonly fields: readonly Field[];
  /** The same, in the order of the wire. */
  readonly byNumber: readonly Field[];
  find(number: number): Field | undefined;
}

/**
 * What JSON has as text or as it is, and protobuf in another form: `time` and `microTime` are RFC 3339 text and seconds
 * with nanoseconds; `bytes` is base64 text; `quantity` text in a message of its own; `json` and `fieldsV1` any JSON
 * value, as text in a message; `strings` a list in a message that holds nothing else.
 */
export type Scalar =
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

/** A struct, or in its place a list of them, true or false, or a list of strings. */
export interface Either {
  readonly struct: GoStruct;
  readonly or: 'structs' | 'bool' | 'strings';
}

export type FieldType = Scalar | GoStruct | Either;

export interface Field {
  /** '' for a struct whose members stand in JSON among those of the one that it is in. */
  readonly name: string;
  readonly number: number;
  readonly type: FieldType;
  /** `value`: always on the wire. `pointer`: there or not, in both forms. `map`: keys are strings. */
  readonly shape: 'value' | 'pointer' | 'list' | 'map';
  /** JSON has it also when it is empty: `allowed: false`, `rules: null`. Structs and times that are values always are. */
  readonly shown: boolean;
  /** What OpenAPI says of it. What is refused and how is for a kind's own validation to say. */
  readonly required: boolean;
}

type FieldPlan = Omit<Field, 'name'>;
type StructPlan = Readonly<Record<string, FieldPlan>>;

export function value(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'value', shown: typeof type !== 'string' || isTime(type), required: false };
}

export function shown(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'value', shown: true, required: true };
}

/** A value that is left out when it is empty, also where it is a struct or a time. */
export function omitted(number: number, type: FieldType): FieldPlan {
  return { number, type, shape: 'value', shown: false, required: false };
}

export function pointer(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'pointer', shown: false, required: false };
}

/** A pointer that JSON has as null where there is nothing. */
export function shownPointer(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'pointer', shown: true, required: true };
}

export function list(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'list', shown: false, required: false };
}

/** A list that JSON has as null where there is none. */
export function shownList(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'list', shown: true, required: true };
}

export function map(number: number, type: FieldType = 'string'): FieldPlan {
  return { number, type, shape: 'map', shown: false, required: false };
}

export function needed(plan: FieldPlan): FieldPlan {
  return { ...plan, required: true };
}

export function free(plan: FieldPlan): FieldPlan {
  return { ...plan, required: false };
}

/** A plan that is a function may name structs that are made later, itself among them. */
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
