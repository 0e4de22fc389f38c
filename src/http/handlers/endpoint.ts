import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import type { GroupResource } from '../../api/status.ts';
import type { Log } from '../../lib/log.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { MountedResource, MountedSubresource } from '../../registry/mounted-resource.ts';
import type { Exchange } from '../exchange.ts';
import { type BodyFormat, negotiate } from '../negotiate/negotiate.ts';
import { checkTransform, type ResponseForm } from '../negotiate/object-reply.ts';
import type { ProtobufCodec } from '../negotiate/protobuf-codec.ts';
import { includeObjectOf } from '../negotiate/table.ts';

export interface EndpointSettings {
  readonly log: Log;
  now(): number;
  /** The protobuf codec. Optional; without it, the plane supports only JSON and YAML bodies. */
  readonly protobuf?: ProtobufCodec;
  readonly bodyLimit?: number;
}

/** The resource that a request addresses, with everything that the handler of its verb needs. */
export interface Endpoint {
  readonly exchange: Exchange;
  readonly mounted: MountedResource;
  /** The subresource in the request path; `undefined` if the path has none. */
  readonly subresource?: MountedSubresource | undefined;
  /** The kind of the request and response bodies. It is the subresource's kind if the path has a subresource. */
  readonly kind: ResourceKind;
  readonly context: RequestContext;
  readonly settings: EndpointSettings;
}

export function resourceOf(endpoint: Endpoint): GroupResource {
  return groupResourceOf(endpoint.mounted.kind);
}

/**
 * True if bodies may be protobuf. Bodies of custom resources may not, even if they have the name of a built-in kind
 * (rule NEG-13).
 */
export function supportsProtobuf({ kind, settings }: Endpoint): boolean {
  return kind.builtIn === true && (settings.protobuf?.supports(kind) ?? false);
}

/** Returns the formats that the server supports for the response, preferred first. A watch cannot use YAML. */
function formatsOf(responseType: 'object' | 'list' | 'watch', protobuf: boolean): readonly BodyFormat[] {
  if (responseType === 'watch') return protobuf ? streamedWithProtobuf : streamed;
  return protobuf ? textualWithProtobuf : textual;
}

const streamed: readonly BodyFormat[] = ['json'];
const streamedWithProtobuf: readonly BodyFormat[] = ['json', 'protobuf'];
const textual: readonly BodyFormat[] = ['json', 'yaml'];
const textualWithProtobuf: readonly BodyFormat[] = ['json', 'yaml', 'protobuf'];

/** Negotiates format, indentation and transform of the response before the request is executed. Throws 406. */
export function negotiateResponseForm(endpoint: Endpoint, responseType: 'object' | 'list' | 'watch'): ResponseForm {
  const { exchange, kind, mounted, settings } = endpoint;
  const query = exchange.query;
  const negotiated = negotiate(exchange.request, query, {
    formats: formatsOf(responseType, supportsProtobuf(endpoint)),
    stream: responseType === 'watch',
    protobufMetadata: settings.protobuf !== undefined,
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
    startProtobufList: protobuf && ((list) => protobuf.startList(list)),
  };
  checkTransform(form, responseType === 'list' ? 'list' : 'object');
  return form;
}
