import { type JsonObject, type JsonValue, textAt, textsAt } from '@flotilla/json';
import { tokenReviewKind } from '../../../api/core/token-request.ts';
import { badRequest } from '../../../api/status.ts';
import type { MountedResource } from '../../../registry/mounted-resource.ts';
import { reviewResource, userInfoStatus } from '../reviews.ts';
import type { AccountTokens } from './account-tokens.ts';

/** The kind TokenReview: reports whether a token is a valid token of this plane, and its service account. */
export function tokenReviews(tokens: AccountTokens): MountedResource {
  return reviewResource(tokenReviewKind, async (_context, review) => {
    const token = textAt(review as JsonValue, 'spec', 'token');
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const requested = textsAt(review as JsonValue, 'spec', 'audiences');
    return await reviewToken(tokens, token, requested);
  });
}

async function reviewToken(tokens: AccountTokens, token: string, requested: readonly string[]): Promise<JsonObject> {
  const audiences = requested.length === 0 ? [tokens.issuer] : requested;
  const found = await tokens.checkWithReason(token, audiences);
  if ('fault' in found) {
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
