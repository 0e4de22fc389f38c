/**
 * The type of a CEL expression. Simple types are shared constants and are compared by `kind`. An `object` is a value
 * with the named fields of a schema. An `opaque` value, such as a quantity, can only be inspected with functions.
 */
export type CelType = SimpleType | ListType | MapType | ObjectType | OpaqueType | TypeType | ParameterType;

type SimpleKind =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null_type'
  | 'dyn'
  | 'google.protobuf.Timestamp'
  | 'google.protobuf.Duration';

export interface SimpleType {
  readonly kind: SimpleKind;
}
export interface ListType {
  readonly kind: 'list';
  readonly element: CelType;
}
export interface MapType {
  readonly kind: 'map';
  readonly key: CelType;
  readonly value: CelType;
}
export interface ObjectType {
  readonly kind: 'object';
  readonly name: string;
  readonly fields: ReadonlyMap<string, CelType>;
  /** The type of all other fields. Absent if the object has only `fields`. */
  readonly otherFields?: CelType;
}
export interface OpaqueType {
  readonly kind: 'opaque';
  readonly name: string;
  readonly parameters: readonly CelType[];
}
/** The type of a value that is itself a type, such as the result of `type(1)` or the name `int`. */
export interface TypeType {
  readonly kind: 'type';
  readonly of: CelType;
}
/** A type parameter of a function signature. Each call of the function infers its own type for the parameter. */
export interface ParameterType {
  readonly kind: 'parameter';
  readonly name: string;
}

export const BOOL: CelType = { kind: 'bool' };
export const INT: CelType = { kind: 'int' };
export const UINT: CelType = { kind: 'uint' };
export const DOUBLE: CelType = { kind: 'double' };
export const STRING: CelType = { kind: 'string' };
export const BYTES: CelType = { kind: 'bytes' };
export const NULL: CelType = { kind: 'null_type' };
export const DYN: CelType = { kind: 'dyn' };
export const TIMESTAMP: CelType = { kind: 'google.protobuf.Timestamp' };
export const DURATION: CelType = { kind: 'google.protobuf.Duration' };

export function listOf(element: CelType): CelType {
  return { kind: 'list', element };
}
export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', key, value };
}
export function opaque(name: string, ...parameters: CelType[]): CelType {
  return { kind: 'opaque', name, parameters };
}
export function optionalOf(type: CelType): CelType {
  return opaque('optional_type', type);
}
export function typeOf(of: CelType): CelType {
  return { kind: 'type', of };
}
export function parameter(name: string): CelType {
  return { kind: 'parameter', name };
}

/** Formats a type for error messages, for example `list(string)` or `map(string, int)`. */
export function describeType(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${describeType(type.element)})`;
    case 'map':
      return `map(${describeType(type.key)}, ${describeType(type.value)})`;
    case 'object':
      return type.name;
    case 'opaque':
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(describeType).join(', ')})`;
    case 'type':
      return `type(${describeType(type.of)})`;
    case 'parameter':
      return type.name;
    case 'null_type':
      return 'null';
    default:
      return type.kind;
  }
}
