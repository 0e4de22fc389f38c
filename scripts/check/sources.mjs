import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = new URL('../..', import.meta.url).pathname;

/** Returns all files below a folder whose names have one of the endings, as sorted paths relative to the project. */
export function filesBelow(folder, ...endings) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length))
    .sort();
}

export function read(path) {
  return readFileSync(join(root, path), 'utf8');
}
