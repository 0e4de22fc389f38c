import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The bytes of every file below a directory, as one string. */
export async function dataFiles(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')))).join('\n');
}
