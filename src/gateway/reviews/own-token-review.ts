import { isJsonObject, type JsonObject, textAt, textsAt, writeJson } from '@flotilla/json';
import { tokenReviewKind } from '../../api/core/token-request.ts';
import { userInfoStatus } from '../../api/user-info.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { bearerTokenOf } from '../../http/session/bearer-token.ts';
import { callerOf } from '../../http/session/caller.ts';
import { isOwnToken } from '../../http/session/own-token.ts';
import { readBody } from '../../http/wire/read-body.ts';
import { decodeReview, jsonReply, maxReviewLength, parseJson } from './review-body.ts';

/** True if the request is a TokenReview, which asks a cluster for the user of a token. */
export function isTokenReview({ info }: Exchange): boolean {
  const { group, plural } = tokenReviewKind;
  return info.verb === 'create' && info.group === group && info.resource === plural && info.subresource === '';
}

/** The token that the cluster receives in place of the caller's own token, which no cluster may learn. */
const substituteToken = 'the-token-of-the-caller';

/**
 * Handles a TokenReview. The remote cluster cannot verify the token of the caller, because this installation issued the
 * token. The cluster decides whether the caller may review tokens; the result for the caller's own token is the
 * caller's identity in the cluster. `send` sends a review to the cluster as JSON.
 */
export async function tokenReview(
  exchange: Exchange,
  send: (body: Uint8Array) => Promise<{ readonly status: number; readonly body: Uint8Array }>,
): Promise<Reply> {
  const review = decodeReview(exchange, tokenReviewKind.kind, await readBody(exchange, maxReviewLength));
  const token = textAt(review, 'spec', 'token');
  const isOwn = isOwnToken(exchange, token);
  // If the caller impersonates another user, the review returns the cluster's own response. Even then the cluster must
  // not learn the caller's token.
  const isHidden = isOwn || token === bearerTokenOf(exchange.request);
  const sent = isHidden ? withToken(review, substituteToken) : review;
  const { status, body } = await send(Buffer.from(writeJson(sent)));
  const result = status === 201 ? parseJson(body) : undefined;
  // A review for certain audiences gets the cluster's own response, because the audiences of the cluster's own API are
  // unknown here.
  if (!isOwn || !isJsonObject(result) || textsAt(review, 'spec', 'audiences').length > 0)
    return { status, headers: { 'content-type': 'application/json' }, body };
  const { spec = {} } = review;
  return jsonReply(status, {
    ...result,
    spec,
    status: { authenticated: true, user: userInfoStatus(callerOf(exchange).user) },
  });
}

function withToken(review: JsonObject, token: string): JsonObject {
  const { spec } = review;
  return { ...review, spec: { ...(isJsonObject(spec) ? spec : {}), token } };
}
