import { isJsonObject, type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { WorkLimitError, WorkMeter } from '@flotilla/work-meter';
import { DocumentError } from '../api/decode/document-error.ts';
import { checkDocumentSize } from '../api/decode/document-size.ts';
import { readYaml } from '../api/decode/yaml-document.ts';
import { StatusError } from '../api/status.ts';
import { ApplyError } from './apply-objects.ts';

/** The maximum number of values in all documents of a template. Aliases make a short document large. */
const maxValues = 200_000;
/** The number that is added to the value count for each document, because applying each object takes a request. */
const valuesPerDocument = 50;

/**
 * Reads the YAML documents of a template. Takes hundreds of milliseconds for a megabyte, so servers read long texts on
 * another thread. Throws ApplyError.
 */
export function readObjects(text: string): readonly JsonObject[] {
  const meter = new WorkMeter('reading the objects', maxValues);
  return text.split(/^---(?:[ \t].*)?$/m).flatMap((document) => {
    if (document.trim() === '') return [];
    charge(meter, valuesPerDocument);
    const value = parseDocument(document);
    const pending = [value];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      charge(meter, 1);
      if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) pending.push(member);
    }
    return objectsOf(value);
  });
}

function charge(meter: WorkMeter, units: number): void {
  try {
    meter.charge(units);
  } catch (error) {
    if (!(error instanceof WorkLimitError)) throw error;
    throw new ApplyError(`${error.message}; use fewer objects or aliases`);
  }
}

/** Parses a document. Rejects a document that is too large for an API request, because it could not be applied. */
function parseDocument(document: string): JsonValue {
  try {
    const { value } = readYaml(document);
    checkDocumentSize(value);
    return value;
  } catch (error) {
    if (error instanceof DocumentError || error instanceof StatusError) throw new ApplyError(error.message);
    throw error;
  }
}

function objectsOf(value: JsonValue): readonly JsonObject[] {
  if (value === null) return [];
  if (!isJsonObject(value))
    throw new ApplyError('each YAML document must be a Kubernetes object, but one of them is a list or a scalar');
  if (textAt(value, 'kind') !== 'List') return [value];
  return listAt(value, 'items').flatMap(objectsOf);
}
