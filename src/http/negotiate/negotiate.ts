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
  /** The formats that the server supports for the response, preferred first. Transforms never use protobuf. */
  readonly formats: readonly BodyFormat[];
  /** True for a watch. Error messages then list the media types with `;stream=watch`. */
  readonly stream?: boolean;
  readonly transforms?: boolean;
}

/** Selects the response format by the Accept header. Throws 406 if none is supported (rules NEG-07 to NEG-12). */
export function negotiate(request: IncomingRequest, query: URLSearchParams, options: NegotiateOptions): NegotiatedForm {
  const accept = request.headers.accept ?? '';
  // Fast path: most clients send exactly this header.
  if (accept === mediaTypes.json && options.formats.includes('json')) {
    return { format: 'json', pretty: isPretty(request, query) };
  }
  // Protobuf is used only if the client accepts no other format, because objects are stored as JSON and need no
  // conversion.
  const text = { ...options, formats: options.formats.filter((format) => format !== 'protobuf') };
  const found = bestOf(accept, text) ?? bestOf(accept, options);
  if (found === undefined) throw nothingAcceptable(options);
  return { ...found.form, pretty: found.pretty || isPretty(request, query) };
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
  for (const clause of parseAccept(header)) {
    for (const format of options.formats) {
      if (!names(clause, format)) continue;
      const found = served(clause, format, options);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function names(clause: MediaRange, format: BodyFormat): boolean {
  if (clause.type === '*') return clause.subtype === '*';
  if (clause.type !== 'application') return false;
  return clause.subtype === '*' || `application/${clause.subtype}` === mediaTypes[format];
}

/** Applies the parameters of a media type in the Accept header. `undefined` if one of them is unsupported (NEG-09). */
function served(clause: MediaRange, format: BodyFormat, options: NegotiateOptions): Found | undefined {
  const { parameters } = clause;
  const stream = parameters.get('stream') ?? '';
  if (stream !== '' && stream !== 'watch') return undefined;
  const serverVersion = parameters.get('sv') ?? '';
  if (serverVersion !== '' && serverVersion !== 'v1') return undefined;
  const pretty = parameters.get('pretty') === '1';
  const hasTransform = ['as', 'g', 'v'].some((name) => (parameters.get(name) ?? '') !== '');
  if (!hasTransform) return { form: { format }, pretty };
  if (options.transforms === false) return undefined;
  const transform = transformOf(parameters);
  return transform === undefined || format === 'protobuf' ? undefined : { form: { format, transform }, pretty };
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
