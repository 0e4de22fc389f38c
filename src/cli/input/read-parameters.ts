import { readFile } from 'node:fs/promises';
import { getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { yamlText } from '@flotilla/yaml';
import { FAILSAFE_SCHEMA, loadAll, nullCoreTag } from 'js-yaml';
import { readYaml } from '../../api/decode/yaml-document.ts';
import { errorCode } from '../../lib/private-file.ts';
import { CliError, usageError } from '../cli-error.ts';
import { readStdin } from './read-stdin.ts';

/** The YAML schema for parameter values. Scalars stay text, as on the server, so that `1.30` does not become `1.3`. */
const textSchema = FAILSAFE_SCHEMA.withTags(nullCoreTag);

/**
 * Reads template parameters from files and `--set` options, and returns them as YAML for `spec.parameters`. Later files
 * override earlier files, and `--set` overrides files. All values remain text, because the template defines their
 * types.
 */
export async function readParameters(files: readonly string[], sets: readonly string[]): Promise<string | undefined> {
  if (files.length === 0 && sets.length === 0) return undefined;
  const values: JsonObject = {};
  for (const file of files) merge(values, await readMap(file));
  for (const set of sets) assign(values, set);
  return yamlText(values);
}

async function readMap(file: string): Promise<JsonObject> {
  const text = await readText(file);
  let documents: JsonValue[];
  try {
    documents = loadAll(text, { schema: textSchema, maxAliases: 0 }) as JsonValue[];
  } catch (error) {
    throw new CliError(`--values ${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  const [value = null, ...more] = documents;
  if (value === null && more.length === 0) return {};
  if (isJsonObject(value) && more.length === 0) return value;
  throw usageError(`--values ${file}: must be a single map of <name>: <value>`);
}

/** Reads a file; `-` means standard input. */
export async function readText(file: string): Promise<string> {
  if (file === '-') return await readStdin();
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const why = errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${errorCode(error)})`;
    throw new CliError(`file ${file} ${why}`, { cause: error });
  }
}

export function readDocument(text: string, file: string): { value: JsonValue } {
  try {
    return readYaml(text);
  } catch (error) {
    throw new CliError(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function merge(target: JsonObject, more: JsonObject): void {
  for (const [name, value] of Object.entries(more)) {
    const existing = getMember(target, name);
    if (isJsonObject(existing) && isJsonObject(value)) merge(existing, value);
    else setMember(target, name, value);
  }
}

function assign(values: JsonObject, set: string): void {
  const separator = set.indexOf('=');
  if (separator < 1) throw usageError(`--set ${set}: must be <name>=<value>`);
  const steps = set.slice(0, separator).split('.');
  let target = values;
  for (const step of steps.slice(0, -1)) {
    const existing = getMember(target, step);
    const next: JsonObject = isJsonObject(existing) ? existing : {};
    if (next !== existing) setMember(target, step, next);
    target = next;
  }
  setMember(target, steps.at(-1) ?? '', set.slice(separator + 1));
}
