import { isJsonObject, type JsonObject } from '@flotilla/json';

/**
 * Maximum length of a token. A longer string cannot be a service account token and is rejected without a TokenReview.
 */
const maxTokenLength = 16 * 1024;

/** Returns the claims of a token without verifying them; `undefined` if it is not a JSON Web Token. */
export function unverifiedClaims(token: string): JsonObject | undefined {
  const [, payload = '', signature, ...further] = token.length > maxTokenLength ? [] : token.split('.');
  if (signature === undefined || further.length > 0) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isJsonObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}
