import { flagAt, isJsonObject, type JsonObject, objectAt, textAt, valueAt } from '@flotilla/json';
import { DocumentError } from '../../../../src/api/decode/document-error.ts';
import { readYaml } from '../../../../src/api/decode/yaml-document.ts';
import { apiVersionOf } from '../../../../src/api/meta.ts';
import { projectNamespace, projectOfNamespace } from '../../../../src/api/naming.ts';
import type { KindRef } from '../../../data/kind-ref.ts';
import { setAt } from '../../../data/objects/set-at.ts';

/** The draft of an instance: `metadata` and `spec` of its manifest, without the namespace. */
export type InstanceDraft = JsonObject;

export const emptyDraft: InstanceDraft = { metadata: { name: '' }, spec: {} };

/** The fields of a draft that the form shows. */
export interface DraftFields {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  /** The name of the template; '' if the draft names none. */
  readonly templateName: string;
  readonly templateVersion: string;
  readonly syncOnce: boolean;
  /** True if the draft contains its own template. */
  readonly isInline: boolean;
  /** The template in the draft; empty if there is none. */
  readonly template: JsonObject;
  readonly parameters: string;
  readonly cluster: string;
  readonly owner: { readonly user: string; readonly team: string };
  /** Returns an annotation; '' if the draft does not set it. */
  annotation(name: string): string;
}

/**
 * Reads the fields of a draft. A field counts as absent if its value has a wrong type, which can happen only after an
 * edit of the YAML.
 */
export function fieldsOf(draft: InstanceDraft): DraftFields {
  const { metadata, spec } = draft;
  return {
    name: textAt(metadata, 'name'),
    displayName: textAt(spec, 'displayName'),
    description: textAt(spec, 'description'),
    templateName: textAt(spec, 'templateRef', 'name'),
    templateVersion: textAt(spec, 'templateRef', 'version'),
    syncOnce: flagAt(spec, 'templateRef', 'syncOnce'),
    isInline: valueAt(spec, 'template') !== undefined,
    template: objectAt(spec, 'template') ?? {},
    parameters: textAt(spec, 'parameters'),
    cluster: textAt(spec, 'clusterRef', 'cluster'),
    owner: { user: textAt(spec, 'owner', 'user'), team: textAt(spec, 'owner', 'team') },
    annotation: (name) => textAt(metadata, 'annotations', name),
  };
}

export interface DraftContext {
  readonly kind: KindRef;
  readonly project: string;
  /** The template to use if the draft names none; '' if the project has no default. */
  readonly defaultTemplate: string;
}

/**
 * Returns the manifest to send. It contains all values that the form shows, including the default template if the draft
 * names no template.
 */
export function manifestOf(draft: InstanceDraft, { kind, project, defaultTemplate }: DraftContext): JsonObject {
  const { templateName, isInline } = fieldsOf(draft);
  const name = templateName || defaultTemplate;
  const explicit = isInline || name === '' ? draft : setAt(draft, ['spec', 'templateRef', 'name'], name);
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
