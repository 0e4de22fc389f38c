import { JSON_SCHEMA, load } from 'js-yaml';
import { exactJson } from './exact-json.ts';
import type { Received } from './side.ts';
import type { Tokens } from './tokens.ts';

/** An answer as it is compared. */
export interface Picture {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The document; the events of a watch as a list; the text where it is neither JSON nor YAML. */
  readonly body: unknown;
}

/** What a client acts on. Left out: dates, lengths, transfer codings, the audit id, and ids of priority levels. */
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

/** What is made of `generateName`: at most 58 characters of it and five more. */
function isGenerated(name: string, generateName: string): boolean {
  return name.length > 5 && name.slice(0, -5) === generateName.slice(0, 58);
}

export interface PictureOptions {
  readonly tokens: Tokens;
  /** The answer is a watch, one event in a line. */
  readonly isStream: boolean;
  /** That the object sent had, for the name that an error may carry. */
  readonly generateName: string | undefined;
}

export function pictureOf(received: Received, { tokens, isStream, generateName }: PictureOptions): Picture {
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
  // The hash is over a document with a server's own paths in it, so it is its form that is the same.
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

/** kube-apiserver sends those when its own timer happens to fall into the time of the watch. */
function isTimedBookmark(line: string): boolean {
  return line.startsWith('{"type":"BOOKMARK"') && !line.includes('k8s.io/initial-events-end');
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function documentOf(document: unknown, tokens: Tokens): unknown {
  if (!isObject(document)) return named(document, tokens);
  if (isObject(document.metadata) && ('items' in document || 'rows' in document)) {
    // A list is of the whole store's version, which on the other side counts what else that server keeps.
    const metadata = { ...document.metadata, ...maskedOf(document.metadata, 'resourceVersion', 'continue') };
    return named({ ...document, metadata }, tokens);
  }
  if (document.type === 'BOOKMARK') return named(withoutVersions(document), tokens);
  if (document.kind === 'APIResourceList') return named({ ...document, resources: byName(document.resources) }, tokens);
  return named(document, tokens);
}

/** kube-apiserver tells custom kinds in the order in which Go walks a map: in another one each time. */
export function byName(resources: unknown): unknown {
  if (!Array.isArray(resources)) return resources;
  const kindOf = ({ name, resource }: Json) => String(name ?? resource).replace(/\/.*/, '');
  return resources.toSorted((one, other) => kindOf(one).localeCompare(kindOf(other)));
}

/** A bookmark is of the store's version too, also where it stands in a row. */
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

/** The same value with tokens for what the server chose itself. */
function named(value: unknown, tokens: Tokens, member = ''): unknown {
  if (typeof value === 'string') return tokens.text(value);
  if (typeof value === 'number') return `#${value}`;
  if (Array.isArray(value)) {
    if (member === 'managedFields') return value.map((entry) => named(withoutTime(entry), tokens)).sort(byManager);
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

/** Entries of the same second stand in the order of their names, and a second may turn over on one side only. */
function byManager(one: unknown, other: unknown): number {
  const key = (entry: unknown) => (isObject(entry) ? `${entry.operation} ${entry.manager} ${entry.subresource}` : '');
  return key(one) < key(other) ? -1 : 1;
}

function withoutTime(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const { time: _time, ...rest } = entry;
  return rest;
}
