import type { JsonValue } from '@flotilla/json';

/** A typed part of a document has the wrong type (rule DEC-02). The message is that of Go's decoder. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DecodeError';
  }
}

/** `field` as Go prints it: the innermost struct, then the path in the decoded value: `ObjectMeta.labels`. */
export function wrongTypeError(value: JsonValue, field: string, goType: string): DecodeError {
  return new DecodeError(
    `json: cannot unmarshal ${goDecoderTypeName(value)} into Go struct field ${field} of type ${goType}`,
  );
}

/** A JSON type as Go's decoder prints it. */
export function goDecoderTypeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
