import { isJsonObject, type JsonObject, objectAt, textAt } from '@flotilla/json';
import { authorizationGroup } from '../../api/core/reviews.ts';
import { type CredentialCheck, type PermissionRules, restrictRules } from '../../auth/authz/restrict-rules.ts';
import { reviewAttributes } from '../../auth/authz/review-attributes.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { readBody } from '../../http/wire/read-body.ts';
import { decodeReview, jsonReply, maxReviewLength, parseJson } from './review-body.ts';

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
  const review = decodeReview(exchange, kinds[exchange.info.resource] ?? '', bytes);
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
