/** A value of DER, the encoding of certificates: its tag, its contents, and all of its bytes. */
export interface DerValue {
  readonly tag: number;
  readonly contents: Buffer;
  readonly encoded: Buffer;
}

/** Thrown for bytes that are not DER. */
export class DerError extends Error {
  constructor() {
    super('asn1: syntax error: data truncated');
  }
}

export const derTags = { integer: 0x02, bitString: 0x03, objectIdentifier: 0x06, sequence: 0x30, set: 0x31 } as const;

/** Returns the consecutive values in the bytes. Throws DerError. */
export function derValues(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { start, length } = contentsAt(bytes, at);
    const end = start + length;
    if (end > bytes.length) throw new DerError();
    values.push({ tag: bytes[at] ?? 0, contents: bytes.subarray(start, end), encoded: bytes.subarray(at, end) });
    at = end;
  }
  return values;
}

/** Returns the values inside a value with this tag. Throws DerError if the value has another tag. */
export function derMembers(value: DerValue | undefined, tag: number): DerValue[] {
  if (value?.tag !== tag) throw new DerError();
  return derValues(value.contents);
}

/** Returns the start and the length of the contents of the value at position `at`. */
function contentsAt(bytes: Buffer, at: number): { readonly start: number; readonly length: number } {
  const first = bytes[at + 1];
  if (first === undefined) throw new DerError();
  if (first < 0x80) return { start: at + 2, length: first };
  const digits = first & 0x7f;
  // Four bytes are enough for any request body. A length without bytes is not allowed in DER.
  if (digits === 0 || digits > 4 || at + 2 + digits > bytes.length) throw new DerError();
  return { start: at + 2 + digits, length: bytes.readUIntBE(at + 2, digits) };
}

/** Returns the bytes of a bit string without unused bits. Throws DerError. */
export function bitsOf(value: DerValue | undefined): Buffer {
  if (value?.tag !== derTags.bitString || value.contents[0] !== 0) throw new DerError();
  return value.contents.subarray(1);
}
