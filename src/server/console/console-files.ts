import { createHash } from 'node:crypto';
import { access, readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** A file of the console. */
export interface ConsoleFile {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly etag: string;
  /** The brotli-compressed content; absent if the build created none. */
  readonly brotli?: Uint8Array;
}

/** All files of the console, read into memory. No request reads from the disk. */
export interface ConsoleFiles {
  /** The HTML page, with placeholders for values that differ for each page load. */
  readonly page: string;
  /** The other files by their path, for example `/assets/main-1a2b.js`. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

const pageName = 'index.html';
/** The folder in which the build stores compressed files, for example `.packed/assets/main-1a2b.js.br`. */
const packedFolder = '.packed';

export async function isConsoleBuilt(directory: string): Promise<boolean> {
  return await access(join(directory, pageName)).then(
    () => true,
    () => false,
  );
}

/** Reads all files of the console; `undefined` if the console is not built. */
export async function readConsoleFiles(directory: string): Promise<ConsoleFiles | undefined> {
  const page = await readFile(join(directory, pageName), 'utf8').catch(undefinedIfMissing);
  if (page === undefined) return undefined;
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = new Set(
    entries.filter((entry) => entry.isFile()).map((entry) => relative(directory, join(entry.parentPath, entry.name))),
  );
  const read = async (path: string): Promise<readonly [string, ConsoleFile]> => {
    const bytes = await readFile(join(directory, path));
    const packed = join(packedFolder, `${path}.br`);
    const brotli = paths.has(packed) ? { brotli: await readFile(join(directory, packed)) } : {};
    return [`/${path.split(sep).join('/')}`, { bytes, type: typeOf(path), etag: etagOf(bytes), ...brotli }];
  };
  // Files whose name starts with a dot are internal to the build.
  const served = [...paths].filter((path) => path !== pageName && !path.startsWith('.'));
  return { page, files: new Map(await Promise.all(served.map(read))) };
}

function typeOf(path: string): string {
  return types[extname(path)] ?? 'application/octet-stream';
}

function etagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 24)}"`;
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
