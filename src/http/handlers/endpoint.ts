import type { JsonObject } from '@flotilla/json';
import type { GroupVersionKind } from '../../api/meta.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import type { GroupResource } from '../../api/status.ts';
import type { Log } from '../../lib/log.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { MountedResource, MountedSubresource } from '../../registry/mounted-resource.ts';
import type { Exchange } from '../exchange.ts';
import { type Format, negotiate } from '../negotiate/negotiate.ts';
import { checkTransform, type ResponseForm } from '../negotiate/object-reply.ts';
import { includeObjectOf } from '../negotiate/table.ts';

/** The protobuf encoding of built-in kinds (rule NEG-06). */
export interface ProtobufCodec {
  supports(kind: GroupVersionKind): boolean;
  decode(expected: GroupVersionKind, bytes: Uint8Array): JsonObject;
  encode(object: JsonObject): Uint8Array;
}

export interface EndpointSettings {
  readonly log: Log;
  now(): number;
  /** Optional; without it, request and response bodies are JSON and YAML only. */
  readonly protobuf?: ProtobufCodec;
  readonly bodyLimit?: number;
}

/** One resource request, resolved in its plane: the input of the verb handlers. */
export interface Endpoint {
  readonly exchange: Exchange;
  readonly mounted: MountedResource;
  /** The subresource of the path; `undefined` if there is none. */
  readonly subresource?: MountedSubresource | undefined;
  /** The kind of the request and response bodies: that of the subresource if there is one. */
  readonly kind: ResourceKind;
  readonly context: RequestContext;
  readonly settings: EndpointSettings;
}

export function resourceOf(endpoint: Endpoint): GroupResource {
  return groupResourceOf(endpoint.mounted.kind);
}

export function supportsProtobuf(endpoint: Endpoint): boolean {
  return endpoint.settings.protobuf?.supports(endpoint.kind) ?? false;
}

/** YAML is not supported for streams. */
function formatsOf(shape: 'object' | 'list' | 'watch', protobuf: boolean): readonly Format[] {
  if (shape === 'watch') return protobuf ? streamedWithProtobuf : streamed;
  return protobuf ? textualWithProtobuf : textual;
}

const streamed: readonly Format[] = ['json'];
const streamedWithProtobuf: readonly Format[] = ['json', 'protobuf'];
const textual: readonly Format[] = ['json', 'yaml'];
const textualWithProtobuf: readonly Format[] = ['json', 'yaml', 'protobuf'];

/** Negotiates the form of the response before anything is executed. */
export function negotiateForm(endpoint: Endpoint, shape: 'object' | 'list' | 'watch'): ResponseForm {
  const { exchange, kind, mounted, settings } = endpoint;
  const query = exchange.query;
  const negotiated = negotiate(exchange.request, query, {
    formats: formatsOf(shape, supportsProtobuf(endpoint)),
    stream: shape === 'watch',
  });
  const { protobuf } = settings;
  const form: ResponseForm = {
    format: negotiated.format,
    pretty: negotiated.pretty,
    transform: negotiated.transform,
    kind,
    include: negotiated.transform?.kind === 'Table' ? includeObjectOf(query) : 'Metadata',
    hasTable: mounted.verbs.get !== undefined || mounted.verbs.list !== undefined,
    now: () => settings.now(),
    encodeProtobuf: protobuf && ((object) => protobuf.encode(object)),
  };
  checkTransform(form, shape === 'list' ? 'list' : 'object');
  return form;
}
