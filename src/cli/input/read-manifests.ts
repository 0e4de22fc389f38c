import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { CliError } from '../cli-error.ts';
import { readDocument, readText } from './read-parameters.ts';

/**
 * Reads objects from the given paths, in their order. A path is a file, a directory with YAML and JSON files, or `-`
 * for standard input.
 */
export async function readManifests(paths: readonly string[]): Promise<KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const path of paths) {
    for (const file of await filesOf(path)) objects.push(...objectsIn(await readText(file), file));
  }
  if (objects.length === 0) throw new CliError(`no objects entry in ${paths.join(', ')}`);
  return objects;
}

async function filesOf(path: string): Promise<readonly string[]> {
  if (path === '-') return [path];
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isDirectory() !== true) return [path];
  const names = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name));
  return names.sort().map((name) => join(path, name));
}

/** Splits a file into documents at lines that begin with `---`. No YAML value can contain such a line. */
function objectsIn(text: string, file: string): KubeObject[] {
  return text.split(/^---(?:[ \t].*)?$/m).flatMap((document) => {
    const { value } = readDocument(document, file);
    return value === null ? [] : expandList(value, file);
  });
}

function expandList(value: JsonValue, file: string): KubeObject[] {
  if (textAt(value, 'kind') === 'List') return listAt(value, 'items').flatMap((item) => expandList(item, file));
  if (isJsonObject(value) && textAt(value, 'apiVersion') !== '' && textAt(value, 'kind') !== '') {
    return [{ metadata: {}, ...value } as unknown as KubeObject];
  }
  throw new CliError(`${file}: an object has no apiVersion or no kind`);
}
