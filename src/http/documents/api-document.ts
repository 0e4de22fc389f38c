import { createHash } from 'node:crypto';
import type { JsonObject } from '@flotilla/json';
import { writeJson } from '@flotilla/json';
import type { Exchange } from '../exchange.ts';
import { negotiate } from '../negotiate/negotiate.ts';
import { render } from '../negotiate/render.ts';
import type { Reply } from '../reply.ts';

/** A document about the API itself, created once and served many times. */
export interface ApiDocument {
  /** Compact JSON. */
  readonly json: string;
  /** Upper-case hex of SHA-512 (rules DISC-15, OAPI-02). */
  readonly hash: string;
}

export interface FoundDocument {
  readonly document: ApiDocument;
  /** The content type, if it is not negotiated between JSON and YAML. */
  readonly contentType?: string;
  /** The content, if it is not JSON. */
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Documents below a plane's root. */
export interface DocumentSet {
  /** The paths for the list at `/` (rule HEALTH-07). */
  paths(): string[];
  /** `undefined` if the path does not belong to this set. Throws StatusError if it does and there is no document. */
  find(exchange: Exchange): FoundDocument | Reply | undefined | Promise<FoundDocument | Reply | undefined>;
}

export function jsonDocument(content: JsonObject): ApiDocument {
  return textDocument(writeJson(content, { sorted: false }));
}

/** Creates a document from serialized JSON. */
export function textDocument(json: string): ApiDocument {
  return { json, hash: createHash('sha512').update(json).digest('hex').toUpperCase() };
}

/** Returns a document, or 304 if the client has it already. */
export function documentReply(exchange: Exchange, found: FoundDocument): Reply {
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
