import { isJsonObject, type JsonObject, type JsonValue, objectAt, textAt, writeJson } from '@flotilla/json';
import { authorizationGroup } from '../api/core/reviews.ts';
import { unsupportedMediaType } from '../api/status.ts';
import { type CredentialCheck, type PermissionRules, restrictRules } from '../auth/authz/restrict-rules.ts';
import { reviewAttributes } from '../auth/authz/review-attributes.ts';
import type { Exchange } from '../http/exchange.ts';
import { bodyFormat } from '../http/negotiate/body-format.ts';
import { protobufCodec } from '../http/protobuf/envelope.ts';
import type { Reply } from '../http/reply.ts';
import { readBody } from '../http/wire/read-body.ts';

/** Maximum size of the body of a SelfSubjectAccessReview or SelfSubjectRulesReview. */
const maxReviewLength = 64 * 1024;

const kinds: Readonly<Record<string, string>> = {
  selfsubjectaccessreviews: 'SelfSubjectAccessReview',
  selfsubjectrulesreviews: 'SelfSubjectRulesReview',
};

/** True if the request asks a cluster for the caller's own permissions. */
export function isSelfReview({ info }: Exchange): boolean {
  return (
    info.verb === 'create' &&
    info.group === authorizationGroup &&
    info.subresource === '' &&
    Object.hasOwn(kinds, info.resource)
  );
}

/**
 * Handles a request for the caller's own permissions. The remote cluster knows the permissions of the user, but not the
 * scope of the user's credential, so this function removes the permissions outside of that scope from the result.
 * `send` sends a review to the cluster.
 */
export async function scopedSelfReview(
  exchange: Exchange,
  passes: CredentialCheck,
  send: (body: Uint8Array) => Promise<{ readonly status: number; readonly body: Uint8Array }>,
): Promise<Reply> {
  const bytes = await readBody(exchange, maxReviewLength);
  const review = decodeReview(exchange, bytes);
  if (exchange.info.resource === 'selfsubjectaccessreviews') {
    const { allowed, reason } = await passes(reviewAttributes(review));
    if (!allowed) return jsonReply(201, { ...review, status: { allowed, ...(reason === '' ? {} : { reason }) } });
  }
  const { status, body } = await send(bytes);
  const result = status === 201 ? parseJson(body) : undefined;
  const rules = isJsonObject(result) ? objectAt(result, 'status') : undefined;
  if (!isJsonObject(result) || rules === undefined || exchange.info.resource !== 'selfsubjectrulesreviews') {
    return { status, headers: { 'content-type': 'application/json' }, body };
  }
  const namespace = textAt(review, 'spec', 'namespace');
  const reduced = await restrictRules(rules as unknown as PermissionRules, namespace, passes);
  return jsonReply(status, { ...result, status: reduced as unknown as JsonObject });
}

function jsonReply(status: number, object: JsonObject): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: writeJson(object) };
}

function decodeReview({ info, request }: Exchange, bytes: Uint8Array): JsonObject {
  const { group, version, resource } = info;
  const kind = kinds[resource] ?? '';
  const format = bodyFormat(request.headers['content-type'], ['json', 'protobuf']);
  if (format === 'protobuf') return protobufCodec.decode({ group, version, kind }, bytes);
  const review = parseJson(bytes);
  if (isJsonObject(review)) return review;
  throw unsupportedMediaType(`the request body is not a ${kind}`);
}

/** Parses JSON; returns `undefined` if the bytes are not valid JSON. */
function parseJson(bytes: Uint8Array): JsonValue | undefined {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonValue;
  } catch {
    return undefined;
  }
}
