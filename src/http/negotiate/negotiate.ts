import { notAcceptable } from '../../api/status.ts';
import type { IncomingRequest } from '../exchange.ts';
import { type MediaRange, parseAccept } from './media-type.ts';

export type Format = 'json' | 'yaml' | 'protobuf';
export type TransformKind = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

/** A transformation of the response that the client requests with `as`, `g` and `v` (rule NEG-10). */
export interface Transform {
  readonly kind: TransformKind;
  readonly version: 'v1' | 'v1beta1';
}

/** The negotiated form of a response. */
export interface Negotiated {
  readonly format: Format;
  readonly pretty: boolean;
  readonly transform?: Transform | undefined;
}

export const mediaTypes: Readonly<Record<Format, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
};

export interface NegotiateOptions {
  /** The supported formats, preferred first. Tables and partial objects are never encoded as protobuf. */
  readonly formats: readonly Format[];
  /** True for a watch: each document stands alone in the stream. */
  readonly stream?: boolean;
  readonly transforms?: boolean;
}

/** Returns the best match for the Accept header. Throws 406 with the supported types (rules NEG-07 to NEG-12). */
export function negotiate(request: IncomingRequest, query: URLSearchParams, options: NegotiateOptions): Negotiated {
  const accept = request.headers.accept ?? '';
  // A fast path for the header of most clients.
  if (accept === mediaTypes.json && options.formats.includes('json')) {
    return { format: 'json', pretty: isPretty(request, query) };
  }
  // Protobuf only if the client accepts nothing else: objects are stored as JSON, which all of these clients read.
  const text = { ...options, formats: options.formats.filter((format) => format !== 'protobuf') };
  const found = bestOf(accept, text) ?? bestOf(accept, options);
  if (found === undefined) throw nothingAcceptable(options);
  return { ...found.form, pretty: found.pretty || isPretty(request, query) };
}

/** Negotiates error bodies (rule NEG-18): no transforms, and indented JSON if nothing matches. */
export function negotiateError(request: IncomingRequest, query: URLSearchParams): Negotiated {
  const found = bestOf(request.headers.accept ?? '', { formats: ['json', 'yaml'], transforms: false });
  if (found === undefined) return { format: 'json', pretty: true };
  return { format: found.form.format, pretty: found.pretty || isPretty(request, query) };
}

interface Found {
  readonly form: Omit<Negotiated, 'pretty'>;
  readonly pretty: boolean;
}

function bestOf(header: string, options: NegotiateOptions): Found | undefined {
  const [favourite = 'json'] = options.formats;
  if (header.trim() === '') return { form: { format: favourite }, pretty: false };
  for (const clause of parseAccept(header)) {
    for (const format of options.formats) {
      if (!names(clause, format)) continue;
      const found = served(clause, format, options);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function names(clause: MediaRange, format: Format): boolean {
  if (clause.type === '*') return clause.subtype === '*';
  if (clause.type !== 'application') return false;
  return clause.subtype === '*' || `application/${clause.subtype}` === mediaTypes[format];
}

/** `undefined` if the clause requests something unsupported; it is then skipped (rule NEG-09). */
function served(clause: MediaRange, format: Format, options: NegotiateOptions): Found | undefined {
  const { parameters } = clause;
  const stream = parameters.get('stream') ?? '';
  if (stream !== '' && stream !== 'watch') return undefined;
  const serverVersion = parameters.get('sv') ?? '';
  if (serverVersion !== '' && serverVersion !== 'v1') return undefined;
  const pretty = parameters.get('pretty') === '1';
  const wants = ['as', 'g', 'v'].some((name) => (parameters.get(name) ?? '') !== '');
  if (!wants) return { form: { format }, pretty };
  if (options.transforms === false) return undefined;
  const transform = transformOf(parameters);
  return transform === undefined || format === 'protobuf' ? undefined : { form: { format, transform }, pretty };
}

function transformOf(parameters: ReadonlyMap<string, string>): Transform | undefined {
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

const readByPeople = /^(curl|Wget|Mozilla\/5\.0)/;

/** Rule NEG-19. */
function isPretty(request: IncomingRequest, query: URLSearchParams): boolean {
  const asked = query.get('pretty');
  if (asked !== null && asked !== '') return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(asked);
  return readByPeople.test(request.headers['user-agent'] ?? '');
}
