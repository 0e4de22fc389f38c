import { writeJson } from '@flotilla/json';
import type { ServedList, ServedObject } from '../../registry/verbs.ts';
import type { JoinedText } from '../wire/generated-body.ts';
import { listMetaJson, mapLazily } from './list-json.ts';
import type { Transform } from './negotiate.ts';

type MetaVersion = Transform['version'];

/** An object's metadata only, as garbage collectors request it. */
export function partialMetadataJson(served: ServedObject, version: MetaVersion): string {
  const metadata = served.metadataJson?.() ?? writeJson(served.object.metadata, { sorted: false });
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":${metadata}}`;
}

/** Rule TABLE-11. */
export function partialMetadataListText(list: ServedList, version: MetaVersion): JoinedText {
  const head = `"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version}"`;
  return {
    head: `{${head},"metadata":${listMetaJson(list)},"items":[`,
    items: mapLazily(list.items, (item) => partialMetadataJson(item, version)),
    tail: ']}',
  };
}
