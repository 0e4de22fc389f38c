import { isJsonObject, textAt } from '@flotilla/json';
import { readYaml } from '../../../src/api/decode/yaml-document.ts';
import { apiVersionOf, type KubeObject } from '../../../src/api/meta.ts';
import type { ServedKind } from '../../data/discovery.ts';
import type { KindRef } from '../../data/kind-ref.ts';

/** An object to create, with its kind and namespace. */
export interface ObjectToCreate {
  readonly kind: KindRef;
  readonly place: { readonly namespace?: string };
  readonly object: KubeObject;
}

export interface ParseObjectOptions {
  readonly served: readonly ServedKind[];
  /** The namespace for objects that do not specify one. */
  readonly namespace: string;
}

/** Splits a YAML text into documents and drops empty documents. */
export function splitDocuments(text: string): readonly string[] {
  return text
    .split(/^---(?:[ \t].*)?\r?$/m)
    .filter((document) => document.split('\n').some((line) => /^\s*[^\s#]/.test(line)));
}

/** Parses one YAML document. Throws an error with a message for the user if the document is not a valid object. */
export function parseObjectToCreate(document: string, { served, namespace }: ParseObjectOptions): ObjectToCreate {
  const { value, duplicates } = readYaml(document);
  if (duplicates[0] !== undefined) throw new Error(duplicates[0]);
  if (!isJsonObject(value))
    throw new Error('Every YAML document must be an object with apiVersion, kind and metadata.');
  const [apiVersion, kindName] = [textAt(value, 'apiVersion'), textAt(value, 'kind')];
  if (apiVersion === '' || kindName === '') throw new Error('Every object needs an apiVersion and a kind.');
  const kind = kindFor(apiVersion, kindName, served);
  if (kind === undefined) throw new Error(`This virtual cluster has no kind ${kindName} in ${apiVersion}.`);
  const place = kind.namespaced ? { namespace: textAt(value, 'metadata', 'namespace') || namespace } : {};
  return { kind, place, object: value as unknown as KubeObject };
}

/**
 * Returns the served kind for an object. Discovery lists only one version of each kind. If the object has another
 * version, asks the server whether it serves that version.
 */
function kindFor(apiVersion: string, kindName: string, served: readonly ServedKind[]): KindRef | undefined {
  const exact = served.find((kind) => kind.kind === kindName && apiVersionOf(kind) === apiVersion);
  if (exact !== undefined) return exact;
  const slash = apiVersion.indexOf('/');
  const [group, version] = slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  const other = served.find((kind) => kind.kind === kindName && kind.group === group);
  return other === undefined ? undefined : { ...other, version };
}
