import { createHash } from 'node:crypto';
import type { JsonObject } from '../lib/json-value.ts';
import { writeJson } from '../lib/json-write.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import type { Exchange, Reply } from './exchange.ts';
import { negotiate } from './negotiate.ts';
import type { Plane } from './plane.ts';
import { render } from './render.ts';
import type { SharedDocuments } from './shared-documents.ts';

/** A document about the API itself, made once and sent many times. */
export interface Document {
  /** Compact JSON. */
  readonly json: string;
  /** Upper-case hex of SHA-512 (rules DISC-15, OAPI-02). */
  readonly hash: string;
}

export interface FoundDocument {
  readonly document: Document;
  /** Where it is not plain JSON that may be negotiated. */
  readonly contentType?: string;
  /** Where it is not JSON at all. */
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Documents below a plane's root. */
export interface DocumentSet {
  /** For the list of paths at `/` (rule HEALTH-07). */
  paths(): string[];
  /** undefined: the path is none of this set's. Throws StatusError where it is and nothing lies there. */
  find(exchange: Exchange): FoundDocument | Reply | undefined | Promise<FoundDocument | Reply | undefined>;
}

export function jsonDocument(content: JsonObject): Document {
  return textDocument(writeJson(content, { sorted: false }));
}

/** The same of JSON that is written already. */
export function textDocument(json: string): Document {
  return { json, hash: createHash('sha512').update(json).digest('hex').toUpperCase() };
}

/** What is made of a plane's kinds, made anew when the set of kinds has changed, and only when somebody asks. */
export function perGeneration<T extends object>(
  plane: Plane,
  shared: SharedDocuments,
  what: string,
  make: (resources: readonly MountedResource[]) => T,
): () => T {
  let made: { readonly generation: number; readonly value: T } | undefined;
  return () => {
    if (made?.generation !== plane.generation) {
      made = { generation: plane.generation, value: shared.of(plane, what, make) };
    }
    return made.value;
  };
}

/** Sends a document, or 304 to a client that has this very one. */
export function sendDocument(exchange: Exchange, found: FoundDocument): Reply {
  const { document, contentType, headers = {} } = found;
  if (headers.etag !== undefined && matchesTag(exchange.request.headers['if-none-match'], headers.etag)) {
    return { status: 304, headers: { ...headers } };
  }
  if (contentType !== undefined) {
    return { status: 200, headers: { 'content-type': contentType, ...headers }, body: found.bytes ?? document.json };
  }
  const form = negotiate(exchange.request, exchange.query, { formats: ['json', 'yaml'], transforms: false });
  const reply = render(document.json, 200, form);
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

function matchesTag(header: string | undefined, tag: string): boolean {
  return (header ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === tag || one.trim() === '*');
}
