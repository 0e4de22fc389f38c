import type { JsonValue } from '@flotilla/json';

/** Thrown if a field of a document has the wrong JSON type (rule DEC-02). The message is that of Go's decoder. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DecodeError';
  }
}

/**
 * Returns the error for a value of the wrong type. `field` is the field as Go prints it: the innermost struct and the
 * path in the decoded value (`ObjectMeta.labels`).
 */
export function wrongTypeError(value: JsonValue, field: string, goType: string): DecodeError {
  return new DecodeError(
    `json: cannot unmarshal ${goDecoderTypeName(value)} into Go struct field ${field} of type ${goType}`,
  );
}

/** Returns the name that Go's decoder prints for the JSON type of a value. */
export function goDecoderTypeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
