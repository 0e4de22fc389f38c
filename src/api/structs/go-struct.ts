/**
 * A protobuf message as data: its members by their JSON names, in the order in which Go's structs (and so their JSON)
 * name them. The numbers are those of the Kubernetes wire format and never change.
 */
export interface Message {
  readonly fields: readonly Field[];
  /** The same, in the order of the wire. */
  readonly byNumber: readonly Field[];
  find(number: number): Field | undefined;
}

/**
 * `time` and `microTime` are RFC 3339 text in JSON and seconds with nanoseconds here; `fieldsV1` is a JSON document in
 * bytes; `strings` is a message that holds nothing but a list of strings and is that list in JSON.
 */
export type Scalar = 'string' | 'int32' | 'int64' | 'bool' | 'time' | 'microTime' | 'fieldsV1' | 'strings';

export interface Field {
  readonly name: string;
  readonly number: number;
  readonly type: Scalar | Message;
  /**
   * `value`: always on the wire, and a zero there is no member in JSON unless `shown`. `pointer`: there or not, in both
   * forms. `map`: keys are strings.
   */
  readonly shape: 'value' | 'pointer' | 'list' | 'map';
  /** JSON has it also when it is zero: `allowed: false`. */
  readonly shown: boolean;
}

type FieldPlan = Omit<Field, 'name'>;

export function value(number: number, type: Scalar | Message = 'string'): FieldPlan {
  return { number, type, shape: 'value', shown: false };
}

export function shown(number: number, type: Scalar | Message = 'string'): FieldPlan {
  return { number, type, shape: 'value', shown: true };
}

export function pointer(number: number, type: Scalar | Message = 'string'): FieldPlan {
  return { number, type, shape: 'pointer', shown: false };
}

export function list(number: number, type: Scalar | Message = 'string'): FieldPlan {
  return { number, type, shape: 'list', shown: false };
}

export function map(number: number, type: Scalar | Message = 'string'): FieldPlan {
  return { number, type, shape: 'map', shown: false };
}

export function message(plan: Readonly<Record<string, FieldPlan>>): Message {
  const fields = Object.entries(plan).map(([name, field]) => ({ name, ...field }));
  const numbered = new Map(fields.map((field) => [field.number, field]));
  return {
    fields,
    byNumber: fields.toSorted((a, b) => a.number - b.number),
    find: (number) => numbered.get(number),
  };
}
