import { createHash } from 'node:crypto';
import { type JsonObject, writeJson } from '@flotilla/json';
import type { Exchange } from '../exchange.ts';
import { negotiate } from '../negotiate/negotiate.ts';
import { renderReply } from '../negotiate/render.ts';
import type { Reply } from '../reply.ts';

/** A discovery or OpenAPI document. It is created once and served many times. */
export interface ApiDocument {
  /** The document as JSON without white space. */
  readonly json: string;
  /** The SHA-512 hash of `json` in upper-case hexadecimal digits (rules DISC-15, OAPI-02). */
  readonly hash: string;
}

export interface FoundDocument {
  readonly document: ApiDocument;
  /** The content type. Optional; by default, the Accept header decides between JSON and YAML. */
  readonly contentType?: string;
  /** The content in a format other than JSON, such as protobuf. Optional. */
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A group of documents that a plane serves, such as its discovery documents or its OpenAPI documents. */
export interface DocumentSet {
  /** Returns the paths of the documents, for the list of all paths at `/` (rule HEALTH-07). */
  paths(): string[];
  /**
   * Returns the document at the path of the request; `undefined` if the path does not belong to this set. Throws
   * StatusError if the path belongs to this set but has no document.
   */
  find(exchange: Exchange): FoundDocument | Reply | undefined | Promise<FoundDocument | Reply | undefined>;
}

export function jsonDocument(content: JsonObject): ApiDocument {
  return documentFromJson(writeJson(content, { sorted: false }));
}

/** Creates a document from serialized JSON and computes its hash. */
export function documentFromJson(json: string): ApiDocument {
  return { json, hash: createHash('sha512').update(json).digest('hex').toUpperCase() };
}

/** Returns the response with a document. Returns 304 if an ETag that the client sent is current. */
export function documentReply(exchange: Exchange, found: FoundDocument): Reply {
  const { document, contentType, headers = {} } = found;
  if (headers.etag !== undefined && matchesTag(exchange.request.headers['if-none-match'], headers.etag)) {
    return { status: 304, headers: { ...headers } };
  }
  if (contentType !== undefined) {
    return { status: 200, headers: { 'content-type': contentType, ...headers }, body: found.bytes ?? document.json };
  }
  const form = negotiate(exchange.request, exchange.query, { formats: ['json', 'yaml'], transforms: false });
  const reply = renderReply(document.json, 200, form);
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/**
 * The maximum number of ETags in a request that are compared. Clients usually send only the ETag that they received
 * last.
 */
const maxTags = 64;

function matchesTag(header: string | undefined, tag: string): boolean {
  return (header ?? '').split(',', maxTags).some((one) => one.trim().replace(/^W\//, '') === tag || one.trim() === '*');
}
