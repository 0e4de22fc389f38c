import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readManifest } from '../integrity/manifest.ts';

/**
 * Returns the tables that the manifest does not list, and their size. A merge that a crash or a full disk interrupted
 * leaves such tables. LevelDB removes them only after it has opened the store, but opening may need the space that they
 * occupy.
 */
async function findUnusedTables(directory: string): Promise<{ readonly paths: string[]; readonly bytes: number }> {
  const files = await readdir(directory);
  if (!files.includes('CURRENT')) return { paths: [], bytes: 0 };
  const name = (await readFile(join(directory, 'CURRENT'), 'latin1')).trim();
  const { tables } = readManifest(await readFile(join(directory, name)));
  const isUnused = (file: string) => /^\d+\.(ldb|sst)$/.test(file) && !tables.has(Number.parseInt(file, 10));
  const paths = files.filter(isUnused).map((file) => join(directory, file));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  return { paths, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Returns the number of bytes that `removeUnusedTables` would free. */
export async function unusedTableBytes(directory: string): Promise<number> {
  return (await findUnusedTables(directory)).bytes;
}

/** Removes unused tables. The store must be undamaged, and no process may use it. */
export async function removeUnusedTables(directory: string): Promise<void> {
  const { paths } = await findUnusedTables(directory);
  for (const path of paths) await rm(path, { force: true });
}
