import { DocumentError } from '../../../src/api/decode/document-error.ts';
import { readYaml } from '../../../src/api/decode/yaml-document.ts';
import type { KubeObject, ObjectMeta } from '../../../src/api/meta.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json-value.ts';
import { yamlText } from '../../../src/lib/yaml-text.ts';
import type { TextProblem } from '../yaml-field.tsx';
import { YamlFault, yamlPlaces } from './yaml-places.ts';

/** What the server keeps about an object: nobody writes it, so it is not in the way of those who write the rest. */
const kept = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const;

/** The part of an object that people write. */
export function writtenPart({ status: _, ...object }: KubeObject): JsonObject {
  const { managedFields: __, ...metadata } = object.metadata as JsonObject;
  for (const name of kept) delete metadata[name];
  return { ...object, metadata };
}

/** The part that the server writes. */
export function keptPart({ metadata, status }: KubeObject): JsonObject {
  const entries = kept.flatMap((name) => {
    const value = (metadata as JsonObject)[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { metadata: Object.fromEntries(entries), ...(status === undefined ? {} : { status }) };
}

export function writtenText(object: KubeObject): string {
  return yamlText(writtenPart(object));
}

/** What a text says, or why it says nothing. */
export type ReadText =
  | { readonly value: JsonObject; readonly problems: readonly TextProblem[] }
  | { readonly value: undefined; readonly problems: readonly TextProblem[] };

/** Reads a text as the server would read it. */
export function readText(text: string): ReadText {
  let documents: number;
  let value: JsonValue;
  let duplicates: readonly string[];
  try {
    documents = yamlPlaces(text).documents;
    ({ value, duplicates } = readYaml(text));
  } catch (error) {
    if (error instanceof YamlFault) {
      return { value: undefined, problems: [{ line: lineAt(text, error.offset), message: error.message }] };
    }
    if (error instanceof DocumentError) return { value: undefined, problems: [{ message: error.message }] };
    throw error;
  }
  if (documents > 1) return { value: undefined, problems: [{ message: 'Only one document can be here.' }] };
  if (!isJsonObject(value)) return { value: undefined, problems: [{ line: 1, message: 'This is no object.' }] };
  return { value, problems: duplicates.map(duplicateProblem) };
}

function duplicateProblem(told: string): TextProblem {
  const [, line, message] = /^line (\d+): (.*)$/.exec(told) ?? [];
  return line === undefined || message === undefined ? { message: told } : { line: Number(line), message };
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/**
 * A text made the object that is sent: what the server keeps is taken from the object that the text was made of, whose
 * version says what was seen.
 */
export function draftObject(written: JsonObject, base: KubeObject): KubeObject {
  const metadata = isJsonObject(written.metadata) ? written.metadata : {};
  const { uid, resourceVersion } = base.metadata;
  const status = written.status ?? base.status;
  return {
    ...written,
    metadata: {
      ...metadata,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    } as ObjectMeta,
    ...(status === undefined ? {} : { status }),
  } as KubeObject;
}

/** Fields that say which object it is: another value would be another object. */
export function identityProblems(written: JsonObject, base: KubeObject): readonly TextProblem[] {
  const metadata = isJsonObject(written.metadata) ? written.metadata : {};
  const check = (path: string, is: JsonValue | undefined, was: JsonValue | undefined): TextProblem[] =>
    (is ?? '') === (was ?? '') ? [] : [{ path, message: `This cannot be changed: it is ${String(was ?? 'not set')}.` }];
  return [
    ...check('apiVersion', written.apiVersion, base.apiVersion),
    ...check('kind', written.kind, base.kind),
    ...check('metadata.name', metadata.name, base.metadata.name),
    ...check('metadata.namespace', metadata.namespace, base.metadata.namespace),
  ];
}
