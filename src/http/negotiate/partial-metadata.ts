import { type JsonObject, writeJson } from '@flotilla/json';
import type { ServedList, ServedObject } from '../../registry/verbs.ts';
import type { JoinedText } from '../wire/generated-body.ts';
import { listMetaJson, mapLazily } from './list-json.ts';
import type { ResponseTransform } from './negotiate.ts';

type MetaVersion = ResponseTransform['version'];

/** Returns an object's metadata as a PartialObjectMetadata, which for example garbage collectors request. */
export function partialMetadataJson(served: ServedObject, version: MetaVersion): string {
  const metadata = served.metadataJson?.() ?? writeJson(served.object.metadata, { sorted: false });
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":${metadata}}`;
}

/**
 * Returns the object to encode as protobuf: the whole object, or a PartialObjectMetadata if the client requested that
 * (rule NEG-14).
 */
export function protobufObject(served: ServedObject, transform: ResponseTransform | undefined): JsonObject {
  const { object } = served;
  if (transform === undefined) return object;
  const metadata = (served.partialMetadata?.() ?? object.metadata) as JsonObject;
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${transform.version}`, metadata };
}

/** Returns the metadata of all items of a list as a PartialObjectMetadataList (rule TABLE-11). */
export function partialMetadataListText(list: ServedList, version: MetaVersion): JoinedText {
  const head = `"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version}"`;
  return {
    head: `{${head},"metadata":${listMetaJson(list)},"items":[`,
    items: mapLazily(list.items, (item) => partialMetadataJson(item, version)),
    tail: ']}',
  };
}
