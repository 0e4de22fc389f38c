import { JSON_SCHEMA, load } from 'js-yaml';
import { exactJson } from './exact-json.ts';
import type { Received } from './side.ts';
import type { Tokens } from './tokens.ts';

/** A response in the form that is compared. */
export interface NormalizedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The JSON or YAML document; a list of events for a watch; the text for anything else. */
  readonly body: unknown;
}

/**
 * The headers that clients act on. Omitted: dates, lengths, transfer codings, the audit id, and ids of priority levels.
 */
const headersThatMatter = [
  'content-type',
  'retry-after',
  'cache-control',
  'allow',
  'x-content-type-options',
  'www-authenticate',
  'location',
  'vary',
  'content-encoding',
];

/** True if the name was generated: the first 58 characters of `generateName` and five random ones. */
function isGenerated(name: string, generateName: string): boolean {
  return name.length > 5 && name.slice(0, -5) === generateName.slice(0, 58);
}

export interface NormalizeOptions {
  readonly tokens: Tokens;
  /** True if the response is a watch with one event per line. */
  readonly isStream: boolean;
  /** The `metadata.generateName` of the sent object. Needed to find the generated name in an error message. */
  readonly generateName: string | undefined;
}

export function normalizeResponse(
  received: Received,
  { tokens, isStream, generateName }: NormalizeOptions,
): NormalizedResponse {
  if (generateName !== undefined) {
    const name = /"details":\{"name":"([^"]*)"/.exec(received.text)?.[1];
    if (name !== undefined && isGenerated(name, generateName)) tokens.generated(name);
  }
  const headers: Record<string, unknown> = {};
  for (const name of headersThatMatter) {
    const value = received.headers[name];
    if (value !== undefined) headers[name] = tokens.text(String(value));
  }
  if (received.warnings.length > 0) headers.warning = received.warnings.map((warning) => tokens.text(warning));
  // The ETag is a hash of a document that contains the server's own paths, so only the format is compared.
  const { etag } = received.headers;
  if (etag !== undefined) headers.etag = String(etag).replace(/^"[0-9A-F]{128}(-\w+)?"$/, '<sha-512>');
  return { status: received.status, headers, body: bodyOf(received, tokens, isStream) };
}

function bodyOf({ status, headers, text }: Received, tokens: Tokens, isStream: boolean): unknown {
  const type = String(headers['content-type'] ?? '');
  try {
    if (isStream && status === 200 && /json/.test(type)) {
      return text
        .split('\n')
        .filter((line) => line !== '' && !isTimedBookmark(line))
        .map((line) => documentOf(exactJson(line), tokens));
    }
    if (/json/.test(type)) return documentOf(exactJson(text), tokens);
    if (/yaml/.test(type)) return documentOf(load(text, { schema: JSON_SCHEMA }), tokens);
  } catch (error) {
    return { notParsed: tokens.text(text), because: String(error) };
  }
  return tokens.text(text);
}

/** True for a periodic bookmark, which kube-apiserver sends when its timer fires during the watch. */
function isTimedBookmark(line: string): boolean {
  return line.startsWith('{"type":"BOOKMARK"') && !line.includes('k8s.io/initial-events-end');
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function documentOf(document: unknown, tokens: Tokens): unknown {
  if (!isObject(document)) return named(document, tokens);
  if (isObject(document.metadata) && ('items' in document || 'rows' in document)) {
    // Masks the resourceVersion of a list: it is the version of the whole store, and kube-apiserver also increases it
    // when it writes other objects.
    const metadata = { ...document.metadata, ...maskedOf(document.metadata, 'resourceVersion', 'continue') };
    return named({ ...document, metadata }, tokens);
  }
  if (document.type === 'BOOKMARK') return named(withoutVersions(document), tokens);
  if (document.kind === 'APIResourceList') return named({ ...document, resources: byName(document.resources) }, tokens);
  return named(document, tokens);
}

/** Sorts resources by name, because kube-apiserver reports custom kinds in the random order of a Go map. */
export function byName(resources: unknown): unknown {
  if (!Array.isArray(resources)) return resources;
  const kindOf = ({ name, resource }: Json) => String(name ?? resource).replace(/\/.*/, '');
  return resources.toSorted((one, other) => kindOf(one).localeCompare(kindOf(other)));
}

/**
 * Returns a bookmark without its resource versions, including those in table rows, because they are versions of the
 * whole store.
 */
function withoutVersions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVersions);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => {
    return [name, name === 'resourceVersion' ? '<version of the store>' : withoutVersions(inner)];
  });
  return Object.fromEntries(entries);
}

function maskedOf(metadata: Json, ...members: readonly string[]): Json {
  return Object.fromEntries(members.filter((name) => metadata[name]).map((name) => [name, `<${name} of the list>`]));
}

/** Returns the value with every part that the server chose itself replaced by a token. */
function named(value: unknown, tokens: Tokens, member = ''): unknown {
  if (typeof value === 'string') return tokens.text(value);
  if (typeof value === 'number') return `#${value}`;
  if (Array.isArray(value)) {
    if (member === 'managedFields') return value.map((entry) => named(withoutTime(entry), tokens)).sort(byManager);
    if (member === 'cells') return value.map((cell) => (isRecentAge(cell) ? '<age in seconds>' : named(cell, tokens)));
    return value.map((item) => named(item, tokens));
  }
  if (!isObject(value)) return value;
  const { generateName, name } = value;
  if (typeof generateName === 'string' && typeof name === 'string' && isGenerated(name, generateName)) {
    tokens.generated(name);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const isVersion = key === 'resourceVersion' && member === 'metadata' && typeof inner === 'string';
      if (isVersion && /^\d+$/.test(inner)) return [key, tokens.version(inner)];
      return [key, named(inner, tokens, key)];
    }),
  );
}

/** True for the age of a new object. The ages on the two servers may differ by some seconds. */
function isRecentAge(cell: unknown): boolean {
  return typeof cell === 'string' && /^\d{1,2}s$/.test(cell);
}

/**
 * Orders managed-fields entries by manager, because their original order differs between the servers if one server
 * crosses the boundary of a second between two writes.
 */
function byManager(one: unknown, other: unknown): number {
  const key = (entry: unknown) => (isObject(entry) ? `${entry.operation} ${entry.manager} ${entry.subresource}` : '');
  return key(one) < key(other) ? -1 : 1;
}

function withoutTime(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const { time: _time, ...rest } = entry;
  return rest;
}
