import { tokenReviewKind } from '../../api/core/token-request.ts';
import { badRequest } from '../../api/status.ts';
import { textAt, textsAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { AccountTokens } from './account-tokens.ts';
import { answering, describedUser } from './reviews.ts';

/** Whether a token is good here, and whose it is; for those who are asked for something with a token of this plane. */
export function tokenReviews(tokens: AccountTokens): MountedResource {
  return answering(tokenReviewKind, async (_context, review) => {
    const token = textAt(review as JsonValue, 'spec', 'token');
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const asked = textsAt(review as JsonValue, 'spec', 'audiences');
    return await reviewed(tokens, token, asked);
  });
}

async function reviewed(tokens: AccountTokens, token: string, asked: readonly string[]): Promise<JsonObject> {
  const wanted = asked.length === 0 ? [tokens.issuer] : asked;
  const found = await tokens.inspect(token, wanted);
  if ('fault' in found) {
    const { fault } = found;
    return { user: {}, error: fault === '' ? invalidToken : `[${invalidToken}, ${fault}]` };
  }
  return {
    authenticated: true,
    user: describedUser(tokens.userOf(found.token)),
    audiences: wanted.filter((audience) => found.token.audiences.includes(audience)),
  };
}

const invalidToken = 'invalid bearer token';
