import { type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { usageError } from '../cli-error.ts';
import type { CallValues } from '../command-call.ts';

export const outputFormats = ['json', 'yaml', 'name', 'wide', 'jsonpath='] as const;

/** The format in which results are printed: a table, or objects in a machine-readable format. */
export type OutputFormat =
  | { readonly kind: 'table'; readonly wide: boolean }
  | { readonly kind: 'objects'; print(document: JsonValue): string };

/** Returns the format that `-o` selects. Imports the code of a format only if it is selected. */
export async function outputFormat(values: Pick<CallValues, 'text'>): Promise<OutputFormat> {
  const wanted = values.text('output') ?? '';
  if (wanted === '' || wanted === 'wide') return { kind: 'table', wide: wanted === 'wide' };
  if (wanted === 'json') return { kind: 'objects', print: (document) => `${writeJson(document, { indent: 2 })}\n` };
  if (wanted === 'yaml') {
    const { yamlText } = await import('@flotilla/yaml');
    return { kind: 'objects', print: (document) => yamlText(document) };
  }
  if (wanted === 'name') return { kind: 'objects', print: (document) => namesOf(document) };
  if (wanted.startsWith('jsonpath=')) {
    const { jsonPathTemplate } = await import('./json-path-template.ts');
    const template = jsonPathTemplate(wanted.slice('jsonpath='.length));
    return { kind: 'objects', print: (document) => template(document) };
  }
  throw usageError(`-o ${wanted} is not an output format; use ${outputFormats.join(', ')}…`);
}

/**
 * Returns the names of the objects in a document. In a list of a Kubernetes kind, the items have no `kind`, so it is
 * derived from the kind of the list.
 */
function namesOf(document: JsonValue): string {
  const { items, apiVersion, kind } = document as JsonObject;
  const listed = { apiVersion: String(apiVersion), kind: String(kind).replace(/List$/, '') };
  const objects = Array.isArray(items) ? items.map((item) => ({ ...listed, ...(item as JsonObject) })) : [document];
  return objects.map((object) => `${nameOf(object as KubeObject)}\n`).join('');
}

/**
 * Returns the name as `-o name` prints it, which kubectl accepts: `virtualclusterinstance.management.platform.sh/demo`.
 */
export function nameOf(object: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): string {
  const slash = object.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${object.apiVersion.slice(0, slash)}`;
  return `${object.kind.toLowerCase()}${group}/${object.metadata.name ?? ''}`;
}
