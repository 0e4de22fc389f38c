/**
 * CRC-32C in WebAssembly, which processes eight bytes per step. Node.js has no CRC-32C, and JavaScript code takes two
 * to three times as long. The speed matters, because all files of the store are verified at startup.
 */
export interface Crc32cLoop {
  /** The input buffer. Copy the bytes into it before you call `update`. */
  readonly bytes: Buffer;
  /** Adds the first `length` bytes of the buffer to the checksum. `length` must be a positive multiple of eight. */
  update(crc: number, length: number): number;
}

/** The part of the WebAssembly API that this file uses. The type definitions of Node.js do not contain it. */
interface WebAssemblyApi {
  readonly Memory: new (pages: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
}

const page = 64 * 1024;
/** The size in bytes of one lookup table of 256 numbers. The memory contains eight tables, then the input buffer. */
const tableSize = 1024;
const bytesAt = 8 * tableSize;

/**
 * Creates the WebAssembly implementation; `undefined` if Node.js has no WebAssembly or cannot allocate its memory.
 * `tables[0]` is the standard CRC table. `tables[n]` is for the byte that is n positions before the last byte of a
 * step.
 */
export function crc32cLoop(tables: readonly Int32Array[]): Crc32cLoop | undefined {
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly?: WebAssemblyApi };
  if (WebAssembly === undefined) return undefined;
  try {
    return createLoop(WebAssembly, tables);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function createLoop({ Memory, Module, Instance }: WebAssemblyApi, tables: readonly Int32Array[]): Crc32cLoop {
  const memory = new Memory({ initial: 1 });
  tables.forEach((table, index) => {
    new Int32Array(memory.buffer, index * tableSize, 256).set(table);
  });
  const { exports } = new Instance(new Module(program()), { '': { '': memory } });
  const update = exports[''] as (crc: number, at: number, end: number) => number;
  return {
    bytes: Buffer.from(memory.buffer, bytesAt, page - bytesAt),
    update: (crc, length) => update(crc, bytesAt, bytesAt + length),
  };
}

// The indexes of the parameters and local variables of the WebAssembly function.
const crc = 0;
const at = 1;
const end = 2;
const first = 3;
const second = 4;

const i32 = 0x7f;
const get = (variable: number) => [0x20, variable];
const set = (variable: number) => [0x21, variable];
const constant = (value: number) => [0x41, ...signed(value)];
const load = (offset: number) => [0x28, 0, ...unsigned(offset)];
const add = 0x6a;
const and = 0x71;
const xor = 0x73;
const shiftLeft = 0x74;
const shiftRight = 0x76;
const isBelow = 0x49;
const loop = [0x03, 0x40];
const againIf = [0x0d, 0];
const done = 0x0b;

/** Returns instructions that look up the table entry for the byte at bit offset `bits` of a word. */
function lookUp(word: number, bits: number, table: number): number[] {
  const index = [...get(word), ...constant(bits), shiftRight, ...constant(0xff), and];
  return [...index, ...constant(2), shiftLeft, ...load(table * tableSize)];
}

function program(): Uint8Array {
  const step = [
    ...[...get(at), ...load(0), ...get(crc), xor, ...set(first)],
    ...[...get(at), ...load(4), ...set(second)],
    ...lookUp(first, 0, 7),
    ...[...lookUp(first, 8, 6), xor, ...lookUp(first, 16, 5), xor, ...lookUp(first, 24, 4), xor],
    ...[...lookUp(second, 0, 3), xor, ...lookUp(second, 8, 2), xor, ...lookUp(second, 16, 1), xor],
    ...[...lookUp(second, 24, 0), xor, ...set(crc)],
    ...[...get(at), ...constant(8), add, ...set(at)],
  ];
  const body = [...loop, ...step, ...get(at), ...get(end), isBelow, ...againIf, done, ...get(crc), done];
  const variables = [1, 2, i32];
  const type = [0x60, 3, i32, i32, i32, 1, i32];
  const importedMemory = [0, 0, 2, 0, 1];
  const exportedFunction = [0, 0, 0];
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, ...type]),
    ...section(2, [1, ...importedMemory]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...exportedFunction]),
    ...section(10, [1, ...sized([...variables, ...body])]),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)];
}

function sized(content: readonly number[]): number[] {
  return [...unsigned(content.length), ...content];
}

/** Encodes a number as unsigned LEB128: seven bits per byte, lowest bits first. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** Encodes a non-negative number as signed LEB128. */
function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}
