import { notAcceptable } from '../../api/status.ts';
import type { IncomingRequest } from '../exchange.ts';
import { type MediaRange, parseAccept } from './media-type.ts';

export type BodyFormat = 'json' | 'yaml' | 'protobuf';
export type TransformKind = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

/** A conversion of the response, for example to a Table, that the client requests in the Accept header (NEG-10). */
export interface ResponseTransform {
  readonly kind: TransformKind;
  readonly version: 'v1' | 'v1beta1';
}

/** The result of content negotiation: format, indentation and conversion of the response. */
export interface NegotiatedForm {
  readonly format: BodyFormat;
  readonly pretty: boolean;
  readonly transform?: ResponseTransform | undefined;
}

export const mediaTypes: Readonly<Record<BodyFormat, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
};

export interface NegotiateOptions {
  /** The formats that the server supports for the response, preferred first. A Table is never protobuf. */
  readonly formats: readonly BodyFormat[];
  /**
   * True if partial metadata can be protobuf. This is possible for all kinds, even for kinds without a protobuf format.
   */
  readonly protobufMetadata?: boolean;
  /** True for a watch. Error messages then list the media types with `;stream=watch`. */
  readonly stream?: boolean;
  readonly transforms?: boolean;
}

/** Selects the response format by the Accept header. Throws 406 if none is supported (rules NEG-07 to NEG-12). */
export function negotiate(request: IncomingRequest, query: URLSearchParams, options: NegotiateOptions): NegotiatedForm {
  const accept = request.headers.accept ?? '';
  // Most clients send exactly this header.
  if (accept === mediaTypes.json && options.formats.includes('json')) {
    return { format: 'json', pretty: isPretty(request, query) };
  }
  const best = bestOf(accept, options);
  if (best === undefined) throw nothingAcceptable(options);
  const found = isProtobufObject(best) ? (bestOf(accept, withoutProtobuf(options)) ?? best) : best;
  return { ...found.form, pretty: found.pretty || isPretty(request, query) };
}

/**
 * True for a whole object as protobuf. This format is used only if the client accepts no other format, because objects
 * are stored as JSON and need no conversion to it. But partial metadata is protobuf if the client prefers protobuf
 * (NEG-14), because items of a JSON list have a kind and an apiVersion, and typed clients treat such items as different
 * objects.
 */
function isProtobufObject({ form }: Found): boolean {
  return form.format === 'protobuf' && form.transform === undefined;
}

function withoutProtobuf(options: NegotiateOptions): NegotiateOptions {
  const formats = options.formats.filter((format) => format !== 'protobuf');
  return { ...options, formats, protobufMetadata: false };
}

/** Selects the format of an error response (NEG-18). Falls back to indented JSON; never converts to a Table. */
export function negotiateError(request: IncomingRequest, query: URLSearchParams): NegotiatedForm {
  const found = bestOf(request.headers.accept ?? '', { formats: ['json', 'yaml'], transforms: false });
  if (found === undefined) return { format: 'json', pretty: true };
  return { format: found.form.format, pretty: found.pretty || isPretty(request, query) };
}

interface Found {
  readonly form: Omit<NegotiatedForm, 'pretty'>;
  readonly pretty: boolean;
}

function bestOf(header: string, options: NegotiateOptions): Found | undefined {
  const [preferred = 'json'] = options.formats;
  if (header.trim() === '') return { form: { format: preferred }, pretty: false };
  const formats = options.protobufMetadata === true ? withProtobuf(options.formats) : options.formats;
  for (const clause of parseAccept(header)) {
    for (const format of formats) {
      if (!names(clause, format)) continue;
      const found = served(clause, format, options);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function withProtobuf(formats: readonly BodyFormat[]): readonly BodyFormat[] {
  return formats.includes('protobuf') ? formats : [...formats, 'protobuf'];
}

function names(clause: MediaRange, format: BodyFormat): boolean {
  if (clause.type === '*') return clause.subtype === '*';
  if (clause.type !== 'application') return false;
  return clause.subtype === '*' || `application/${clause.subtype}` === mediaTypes[format];
}

/**
 * Applies the parameters of a media type in the Accept header. Returns `undefined` if a parameter is unsupported
 * (NEG-09).
 */
function served(clause: MediaRange, format: BodyFormat, options: NegotiateOptions): Found | undefined {
  const { parameters } = clause;
  const stream = parameters.get('stream') ?? '';
  if (stream !== '' && stream !== 'watch') return undefined;
  const serverVersion = parameters.get('sv') ?? '';
  if (serverVersion !== '' && serverVersion !== 'v1') return undefined;
  const pretty = parameters.get('pretty') === '1';
  const hasTransform = ['as', 'g', 'v'].some((name) => (parameters.get(name) ?? '') !== '');
  if (!hasTransform) return options.formats.includes(format) ? { form: { format }, pretty } : undefined;
  if (options.transforms === false) return undefined;
  const transform = transformOf(parameters);
  if (transform === undefined) return undefined;
  if (format === 'protobuf' && (transform.kind === 'Table' || options.protobufMetadata !== true)) return undefined;
  return { form: { format, transform }, pretty };
}

function transformOf(parameters: ReadonlyMap<string, string>): ResponseTransform | undefined {
  const kind = parameters.get('as');
  const version = parameters.get('v');
  if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  if (kind !== 'Table' && kind !== 'PartialObjectMetadata' && kind !== 'PartialObjectMetadataList') return undefined;
  return { kind, version };
}

function nothingAcceptable(options: NegotiateOptions): Error {
  const list = options.formats.map((format) => mediaTypes[format] + (options.stream === true ? ';stream=watch' : ''));
  return notAcceptable(`only the following media types are accepted: ${list.join(', ')}`);
}

const interactiveClients = /^(curl|Wget|Mozilla\/5\.0)/;

/**
 * True if the response must be indented. The query parameter `pretty` decides. Without it, curl, Wget and browsers get
 * indented responses, and other clients do not (rule NEG-19).
 */
function isPretty(request: IncomingRequest, query: URLSearchParams): boolean {
  const requested = query.get('pretty');
  if (requested !== null && requested !== '') return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(requested);
  return interactiveClients.test(request.headers['user-agent'] ?? '');
}
