import { isJsonObject, type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import { unsupportedMediaType } from '../../api/status.ts';
import type { Exchange } from '../../http/exchange.ts';
import { bodyFormat } from '../../http/negotiate/body-format.ts';
import { protobufCodec } from '../../http/protobuf/envelope.ts';
import type { Reply } from '../../http/reply.ts';

/** Maximum size of the body of a review that the gateway reads. */
export const maxReviewLength = 64 * 1024;

/** Decodes the body of a review, which is JSON or protobuf. */
export function decodeReview({ info, request }: Exchange, kind: string, bytes: Uint8Array): JsonObject {
  const { group, version } = info;
  const format = bodyFormat(request.headers['content-type'], ['json', 'protobuf']);
  if (format === 'protobuf') return protobufCodec.decode({ group, version, kind }, bytes);
  const review = parseJson(bytes);
  if (isJsonObject(review)) return review;
  throw unsupportedMediaType(`the request body is not a ${kind}`);
}

/** Parses JSON; returns `undefined` if the bytes are not valid JSON. */
export function parseJson(bytes: Uint8Array): JsonValue | undefined {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonValue;
  } catch {
    return undefined;
  }
}

export function jsonReply(status: number, object: JsonObject): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: writeJson(object) };
}
