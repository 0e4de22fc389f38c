import { DocumentError } from '../../../../src/api/decode/document-error.ts';
import { readYaml } from '../../../../src/api/decode/yaml-document.ts';
import { apiVersionOf } from '../../../../src/api/meta.ts';
import { projectNamespace, projectOfNamespace } from '../../../../src/api/naming.ts';
import { textAt, valueAt } from '../../../../src/lib/json-path.ts';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json-value.ts';
import { kinds } from '../../../data/kind-ref.ts';
import { setAt } from '../../../data/set-at.ts';

/** A virtual cluster as it is being thought of: `metadata` and `spec` of its manifest, the namespace aside. */
export type InstanceDraft = JsonObject;

export const emptyDraft: InstanceDraft = { metadata: { name: '' }, spec: {} };

export function isInline(draft: InstanceDraft): boolean {
  return valueAt(draft, 'spec', 'template') !== undefined;
}

export interface DraftPlace {
  readonly project: string;
  /** What is meant where the draft names no template; '': none. */
  readonly defaultTemplate: string;
}

/** What is sent: everything that the form shows is said, also what the server would fill in alike. */
export function manifestOf(draft: InstanceDraft, { project, defaultTemplate }: DraftPlace): JsonObject {
  const name = textAt(draft, 'spec', 'templateRef', 'name') || defaultTemplate;
  const spoken = isInline(draft) || name === '' ? draft : setAt(draft, ['spec', 'templateRef', 'name'], name);
  const placed = setAt(spoken, ['metadata', 'namespace'], projectNamespace(project));
  return { apiVersion: apiVersionOf(kinds.instance), kind: kinds.instance.kind, ...placed };
}

export type ReadManifest =
  | { readonly draft: InstanceDraft; readonly project: string | undefined }
  | { readonly problem: string; readonly line: number | undefined };

/** What somebody wrote as YAML, or what is wrong with it. */
export function readManifest(text: string): ReadManifest {
  let value: unknown;
  try {
    value = readYaml(text).value;
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { problem: error.message, line: Number(/line (\d+)/.exec(error.message)?.[1]) || undefined };
  }
  if (!isJsonObject(value as JsonObject)) return { problem: 'This is no object.', line: undefined };
  const { apiVersion, kind, metadata, spec, ...rest } = value as JsonObject;
  const wanted = kinds.instance.kind;
  if (kind !== undefined && kind !== wanted) return { problem: `Only a ${wanted} can be made here.`, line: undefined };
  if (apiVersion !== undefined && apiVersion !== apiVersionOf(kinds.instance)) {
    return { problem: `Its apiVersion has to be ${apiVersionOf(kinds.instance)}.`, line: undefined };
  }
  const { namespace, ...own } = isJsonObject(metadata) ? metadata : {};
  return {
    draft: { ...rest, metadata: { name: '', ...own }, spec: isJsonObject(spec) ? spec : {} },
    project: typeof namespace === 'string' ? projectOfNamespace(namespace) : undefined,
  };
}
