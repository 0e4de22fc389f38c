import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ConsoleFile } from './console-files.ts';

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** In order of preference. */
const encodings = [
  {
    encoding: 'br',
    // Higher levels take ten times as long for a few percent, and the first client waits for it.
    pack: (bytes: Uint8Array) => brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } }),
  },
  { encoding: 'gzip', pack: (bytes: Uint8Array) => gzipAsync(bytes, { level: 7 }) },
] as const;

export interface CompressedFile {
  readonly encoding: (typeof encodings)[number]['encoding'];
  readonly bytes: Uint8Array;
}

/** Compressed formats and small files, whose headers dominate, are sent uncompressed. */
const compressible = /^(?:text\/|application\/(?:json|manifest\+json)|image\/svg\+xml)/;
const minBytes = 1024;

/** Compresses each file once, on first request. Files that the build compressed are used as they are. */
export function createCompressor(): (file: ConsoleFile, acceptEncoding: string) => Promise<CompressedFile | undefined> {
  const packed = new WeakMap<ConsoleFile, Map<string, Promise<Uint8Array>>>();
  return async (file, acceptEncoding) => {
    if (!compressible.test(file.type) || file.bytes.byteLength < minBytes) return undefined;
    const encoder = encodings.find(({ encoding }) => accepts(acceptEncoding, encoding));
    if (encoder === undefined) return undefined;
    if (encoder.encoding === 'br' && file.brotli !== undefined) return { encoding: 'br', bytes: file.brotli };
    const byEncoding = packed.get(file) ?? new Map<string, Promise<Uint8Array>>();
    packed.set(file, byEncoding);
    const bytes = byEncoding.get(encoder.encoding) ?? encoder.pack(file.bytes);
    byEncoding.set(encoder.encoding, bytes);
    return { encoding: encoder.encoding, bytes: await bytes };
  };
}

function accepts(acceptEncoding: string, encoding: string): boolean {
  return acceptEncoding.split(',').some((clause) => {
    const [name = '', ...parameters] = clause.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
  });
}
