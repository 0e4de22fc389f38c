import { isJsonObject, type JsonObject, textAt, valueAt } from '@flotilla/json';
import { DocumentError } from '../../../../src/api/decode/document-error.ts';
import { readYaml } from '../../../../src/api/decode/yaml-document.ts';
import { apiVersionOf } from '../../../../src/api/meta.ts';
import { projectNamespace, projectOfNamespace } from '../../../../src/api/naming.ts';
import type { KindRef } from '../../../data/kind-ref.ts';
import { setAt } from '../../../data/objects/set-at.ts';

/** The draft of an instance: `metadata` and `spec` of its manifest, without the namespace. */
export type InstanceDraft = JsonObject;

export const emptyDraft: InstanceDraft = { metadata: { name: '' }, spec: {} };

export function isInline(draft: InstanceDraft): boolean {
  return valueAt(draft, 'spec', 'template') !== undefined;
}

export interface DraftContext {
  readonly kind: KindRef;
  readonly project: string;
  /** The template to use if the draft names none; '' if the project has no default. */
  readonly defaultTemplate: string;
}

/** Returns the manifest to send. It contains all values that the form shows, including the default template. */
export function manifestOf(draft: InstanceDraft, { kind, project, defaultTemplate }: DraftContext): JsonObject {
  const name = textAt(draft, 'spec', 'templateRef', 'name') || defaultTemplate;
  const explicit = isInline(draft) || name === '' ? draft : setAt(draft, ['spec', 'templateRef', 'name'], name);
  const placed = setAt(explicit, ['metadata', 'namespace'], projectNamespace(project));
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...placed };
}

export type ParsedManifest =
  | { readonly draft: InstanceDraft; readonly project: string | undefined }
  | { readonly problem: string; readonly line: number | undefined };

/** Parses the YAML manifest of an instance of a kind. If the manifest is invalid, returns the problem and its line. */
export function parseManifest(wanted: KindRef, text: string): ParsedManifest {
  let value: unknown;
  try {
    value = readYaml(text).value;
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { problem: error.message, line: Number(/line (\d+)/.exec(error.message)?.[1]) || undefined };
  }
  if (!isJsonObject(value as JsonObject)) return { problem: 'The YAML must be an object.', line: undefined };
  const { apiVersion, kind, metadata, spec, ...rest } = value as JsonObject;
  if (kind !== undefined && kind !== wanted.kind) {
    return { problem: `The kind must be ${wanted.kind}.`, line: undefined };
  }
  if (apiVersion !== undefined && apiVersion !== apiVersionOf(wanted)) {
    return { problem: `The apiVersion must be ${apiVersionOf(wanted)}.`, line: undefined };
  }
  const { namespace, ...own } = isJsonObject(metadata) ? metadata : {};
  return {
    draft: { ...rest, metadata: { name: '', ...own }, spec: isJsonObject(spec) ? spec : {} },
    project: typeof namespace === 'string' ? projectOfNamespace(namespace) : undefined,
  };
}
