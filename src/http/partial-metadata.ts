import type { KubeObject } from '../api/meta.ts';
import { writeJson } from '../lib/json-write.ts';
import type { ServedList } from '../registry/verbs.ts';
import { listMetaJson } from './list-json.ts';
import type { Transform } from './negotiate.ts';

type MetaVersion = Transform['version'];

/** An object's metadata and nothing else, as the garbage collectors of this world ask for it. */
export function partialMetadataJson(object: KubeObject, version: MetaVersion): string {
  const metadata = writeJson(object.metadata, { sorted: false });
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":${metadata}}`;
}

/** Rule TABLE-11. */
export function partialMetadataListJson(list: ServedList, version: MetaVersion): string {
  const items = list.items.map((item) => partialMetadataJson(item.object, version));
  const head = `"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version}"`;
  return `{${head},"metadata":${listMetaJson(list)},"items":[${items.join(',')}]}`;
}
