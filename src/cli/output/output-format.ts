import type { KubeObject } from '../../api/meta.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import { writeJson } from '../../lib/json-write.ts';
import { usageError } from '../cli-error.ts';
import type { CallValues } from '../command-call.ts';

export const outputFormats = ['json', 'yaml', 'name', 'wide', 'jsonpath='] as const;

/** How results are printed: a table, or the objects in a form that programs read. */
export type OutputFormat =
  | { readonly kind: 'table'; readonly wide: boolean }
  | { readonly kind: 'objects'; print(document: JsonValue): string };

/** What `-o` asks for. Forms are loaded when they are wanted. */
export async function outputFormat(values: Pick<CallValues, 'text'>): Promise<OutputFormat> {
  const wanted = values.text('output') ?? '';
  if (wanted === '' || wanted === 'wide') return { kind: 'table', wide: wanted === 'wide' };
  if (wanted === 'json') return { kind: 'objects', print: (document) => `${writeJson(document, { indent: 2 })}\n` };
  if (wanted === 'yaml') {
    const { yamlText } = await import('../../lib/yaml-text.ts');
    return { kind: 'objects', print: (document) => yamlText(document) };
  }
  if (wanted === 'name') return { kind: 'objects', print: (document) => namesOf(document) };
  if (wanted.startsWith('jsonpath=')) {
    const { jsonPathTemplate } = await import('./json-path-template.ts');
    const template = jsonPathTemplate(wanted.slice('jsonpath='.length));
    return { kind: 'objects', print: (document) => template(document) };
  }
  throw usageError(`-o ${wanted} is not a form of output; there are ${outputFormats.join(', ')}…`);
}

function namesOf(document: JsonValue): string {
  const items = (document as JsonObject).items;
  const objects = Array.isArray(items) ? items : [document];
  return objects.map((object) => `${nameOf(object as KubeObject)}\n`).join('');
}

/** `virtualclusterinstance.management.platform.sh/demo`, which kubectl takes as well. */
export function nameOf(object: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): string {
  const slash = object.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${object.apiVersion.slice(0, slash)}`;
  return `${object.kind.toLowerCase()}${group}/${object.metadata.name ?? ''}`;
}
