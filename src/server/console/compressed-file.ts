import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ConsoleFile } from './console-files.ts';

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** The supported content encodings, in order of preference. */
const encodings = [
  {
    encoding: 'br',
    // A higher compression level would take ten times as long and save only a few percent. The first client waits for
    // the result.
    pack: (bytes: Uint8Array) => brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } }),
  },
  { encoding: 'gzip', pack: (bytes: Uint8Array) => gzipAsync(bytes, { level: 7 }) },
] as const;

export interface CompressedFile {
  readonly encoding: (typeof encodings)[number]['encoding'];
  readonly bytes: Uint8Array;
}

/**
 * Matches the content types that are compressed if the file has at least `minBytes`. Files of other types are already
 * compressed. In small responses, the headers are larger than the savings.
 */
const compressible = /^(?:text\/|application\/(?:json|manifest\+json)|image\/svg\+xml)/;
const minBytes = 1024;

/**
 * Returns a function that compresses each file on its first request. Uses the compressed files of the build if present.
 */
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

/** The maximum number of encodings that are read, because anyone can send a long header. Browsers send about four. */
const maxEncodings = 64;

function accepts(acceptEncoding: string, encoding: string): boolean {
  return acceptEncoding.split(',', maxEncodings).some((clause) => {
    const [name = '', ...parameters] = clause.split(';', maxEncodings).map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
  });
}
