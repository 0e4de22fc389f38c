import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '../../api/meta.ts';
import { listAt, textAt } from '../../lib/json-path.ts';
import { isJsonObject, type JsonValue } from '../../lib/json-value.ts';
import { CliError } from '../cli-error.ts';
import { readDocument, readText } from './read-parameters.ts';

/** The objects of files, of the YAML and JSON files of folders, and of standard input (`-`), in their order. */
export async function readManifests(places: readonly string[]): Promise<KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const place of places) {
    for (const file of await filesAt(place)) objects.push(...objectsIn(await readText(file), file));
  }
  if (objects.length === 0) throw new CliError(`there is nothing in ${places.join(', ')}`);
  return objects;
}

async function filesAt(place: string): Promise<readonly string[]> {
  if (place === '-') return [place];
  const found = await stat(place).catch(() => undefined);
  if (found?.isDirectory() !== true) return [place];
  const names = (await readdir(place)).filter((name) => /\.(ya?ml|json)$/.test(name));
  return names.sort().map((name) => join(place, name));
}

/** `---` at the beginning of a line parts documents, wherever it stands: nothing in YAML can hold it. */
function objectsIn(text: string, file: string): KubeObject[] {
  return text.split(/^---(?:[ \t].*)?$/m).flatMap((document) => {
    const { value } = readDocument(document, file);
    return value === null ? [] : withoutList(value, file);
  });
}

function withoutList(value: JsonValue, file: string): KubeObject[] {
  if (textAt(value, 'kind') === 'List') return listAt(value, 'items').flatMap((item) => withoutList(item, file));
  if (isJsonObject(value) && textAt(value, 'apiVersion') !== '' && textAt(value, 'kind') !== '') {
    return [{ metadata: {}, ...value } as unknown as KubeObject];
  }
  throw new CliError(`${file}: an object has no apiVersion or no kind`);
}
