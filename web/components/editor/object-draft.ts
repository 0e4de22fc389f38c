import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { yamlText } from '@flotilla/yaml';
import { DocumentError } from '../../../src/api/decode/document-error.ts';
import { readYaml } from '../../../src/api/decode/yaml-document.ts';
import type { KubeObject, ObjectMeta } from '../../../src/api/meta.ts';
import type { TextProblem } from './editor-props.ts';
import { YamlSyntaxError, yamlPositions } from './yaml-positions.ts';

/** Metadata fields that the server manages. The editor does not show them. */
const serverManaged = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const;

/** Returns the part of an object that users write. */
export function editablePart({ status: _, ...object }: KubeObject): JsonObject {
  const { managedFields: __, ...metadata } = object.metadata as JsonObject;
  for (const name of serverManaged) delete metadata[name];
  return { ...object, metadata };
}

/** Returns the part of an object that the server manages. */
export function serverPart({ metadata, status }: KubeObject): JsonObject {
  const entries = serverManaged.flatMap((name) => {
    const value = (metadata as JsonObject)[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { metadata: Object.fromEntries(entries), ...(status === undefined ? {} : { status }) };
}

export function editableText(object: KubeObject): string {
  return yamlText(editablePart(object));
}

/** The object in a text, or the problems that prevent parsing. */
export type ParsedObjectText =
  | { readonly value: JsonObject; readonly problems: readonly TextProblem[] }
  | { readonly value: undefined; readonly problems: readonly TextProblem[] };

/** Parses the YAML text of an object in the same way as the server. */
export function parseObjectText(text: string): ParsedObjectText {
  let documents: number;
  let value: JsonValue;
  let duplicates: readonly string[];
  try {
    documents = yamlPositions(text).documents;
    ({ value, duplicates } = readYaml(text));
  } catch (error) {
    if (error instanceof YamlSyntaxError) {
      return { value: undefined, problems: [{ line: lineAt(text, error.offset), message: error.message }] };
    }
    if (error instanceof DocumentError) return { value: undefined, problems: [{ message: error.message }] };
    throw error;
  }
  if (documents > 1) return { value: undefined, problems: [{ message: 'Only one YAML document is allowed.' }] };
  if (!isJsonObject(value))
    return { value: undefined, problems: [{ line: 1, message: 'The YAML must be an object.' }] };
  return { value, problems: duplicates.map(duplicateProblem) };
}

function duplicateProblem(warning: string): TextProblem {
  const [, line, message] = /^line (\d+): (.*)$/.exec(warning) ?? [];
  return line === undefined || message === undefined ? { message: warning } : { line: Number(line), message };
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/**
 * Builds the object to send: the edited fields, with the server-managed fields of `base`. They include the resource
 * version, by which the server detects conflicts.
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

/** Returns a problem for each identifying field (apiVersion, kind, name, namespace) that the user changed. */
export function identityProblems(written: JsonObject, base: KubeObject): readonly TextProblem[] {
  const metadata = isJsonObject(written.metadata) ? written.metadata : {};
  const check = (path: string, is: JsonValue | undefined, was: JsonValue | undefined): TextProblem[] =>
    (is ?? '') === (was ?? '')
      ? []
      : [{ path, message: `This field cannot be changed; its value must be ${String(was ?? 'empty')}.` }];
  return [
    ...check('apiVersion', written.apiVersion, base.apiVersion),
    ...check('kind', written.kind, base.kind),
    ...check('metadata.name', metadata.name, base.metadata.name),
    ...check('metadata.namespace', metadata.namespace, base.metadata.namespace),
  ];
}
