import { type JsonObject, type JsonValue, textAt, textsAt } from '@flotilla/json';
import { tokenReviewKind } from '../../../api/core/token-request.ts';
import { badRequest } from '../../../api/status.ts';
import { userInfoStatus } from '../../../api/user-info.ts';
import type { RequestContext } from '../../../registry/context.ts';
import type { MountedResource } from '../../../registry/mounted-resource.ts';
import { reviewResource } from '../reviews.ts';
import type { AccountTokens } from './account-tokens.ts';

/**
 * The kind TokenReview. It reports whether a token is valid in this plane, and the user of the token. A token is valid
 * if it belongs to a service account of the plane, or if it is the caller's own token, which a gateway may have issued.
 */
export function tokenReviews(tokens: AccountTokens): MountedResource {
  return reviewResource(tokenReviewKind, async (context, review) => {
    const token = textAt(review as JsonValue, 'spec', 'token');
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const requested = textsAt(review as JsonValue, 'spec', 'audiences');
    return await reviewToken(tokens, context, token, requested);
  });
}

async function reviewToken(
  tokens: AccountTokens,
  context: RequestContext,
  token: string,
  requested: readonly string[],
): Promise<JsonObject> {
  const audiences = requested.length === 0 ? [tokens.issuer] : requested;
  const found = await tokens.checkWithReason(token, audiences);
  if ('fault' in found) {
    if (audiences.includes(tokens.issuer) && context.isOwnToken?.(token) === true)
      return { authenticated: true, user: userInfoStatus(context.user), audiences: [tokens.issuer] };
    const { fault } = found;
    return { user: {}, error: fault === '' ? invalidToken : `[${invalidToken}, ${fault}]` };
  }
  return {
    authenticated: true,
    user: userInfoStatus(tokens.userOf(found.token)),
    audiences: audiences.filter((audience) => found.token.audiences.includes(audience)),
  };
}

const invalidToken = 'invalid bearer token';
