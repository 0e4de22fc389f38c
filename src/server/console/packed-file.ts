import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ConsoleFile } from './console-files.ts';

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** The best that a browser takes comes first. */
const packings = [
  {
    encoding: 'br',
    // The levels above it take ten times as long for a few per cent, and the first visitor waits for it.
    pack: (bytes: Uint8Array) => brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } }),
  },
  { encoding: 'gzip', pack: (bytes: Uint8Array) => gzipAsync(bytes, { level: 7 }) },
] as const;

export interface PackedFile {
  readonly encoding: (typeof packings)[number]['encoding'];
  readonly bytes: Uint8Array;
}

/** What is packed already, or so short that its headers are most of it, is sent as it is. */
const packable = /^(?:text\/|application\/(?:json|manifest\+json)|image\/svg\+xml)/;
const shortest = 1024;

/** Packs a file when the first asks for it so, and never again; what the build has packed not at all. */
export function createPacker(): (file: ConsoleFile, acceptEncoding: string) => Promise<PackedFile | undefined> {
  const packed = new WeakMap<ConsoleFile, Map<string, Promise<Uint8Array>>>();
  return async (file, acceptEncoding) => {
    if (!packable.test(file.type) || file.bytes.byteLength < shortest) return undefined;
    const packing = packings.find(({ encoding }) => takes(acceptEncoding, encoding));
    if (packing === undefined) return undefined;
    if (packing.encoding === 'br' && file.brotli !== undefined) return { encoding: 'br', bytes: file.brotli };
    const known = packed.get(file) ?? new Map<string, Promise<Uint8Array>>();
    packed.set(file, known);
    const bytes = known.get(packing.encoding) ?? packing.pack(file.bytes);
    known.set(packing.encoding, bytes);
    return { encoding: packing.encoding, bytes: await bytes };
  };
}

function takes(acceptEncoding: string, encoding: string): boolean {
  return acceptEncoding.split(',').some((clause) => {
    const [name = '', ...parameters] = clause.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
  });
}
