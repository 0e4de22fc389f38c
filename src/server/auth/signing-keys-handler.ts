import { badRequest, methodNotAllowedOnPath, tooManyRequests } from '../../api/status.ts';
import type { Handler } from '../../http/exchange.ts';
import { TooManySigningKeysError } from '../../process/signing-key-file.ts';
import type { SigningKeys } from '../../process/signing-keys.ts';

/**
 * The value of Retry-After, in seconds, if there are too many keys. It is long, because an old key is removed only
 * after its last token has expired.
 */
const retrySeconds = 3600;

/**
 * Handles POST `/auth/signing-keys`: rotates the signing key. `revoke=true` also revokes the tokens that older keys
 * signed.
 */
export function signingKeysHandler(signingKeys: SigningKeys): Handler {
  return async (exchange) => {
    if (exchange.request.method !== 'POST') throw methodNotAllowedOnPath();
    const revoke = exchange.query.get('revoke') ?? 'false';
    if (revoke !== 'true' && revoke !== 'false') throw badRequest('revoke must be true or false');
    try {
      const { kid } = await signingKeys.rotate({ revoke: revoke === 'true' });
      const body = JSON.stringify({ kid, keys: signingKeys.publicKeys().keys });
      return { status: 201, headers: { 'content-type': 'application/json' }, body };
    } catch (error) {
      if (error instanceof TooManySigningKeysError) throw tooManyRequests(error.message, retrySeconds);
      throw error;
    }
  };
}

/**
 * GET `/auth/jwks`: returns the public keys. A verifier fetches the keys again when it finds an unknown key ID in a
 * token.
 */
export function jwksHandler(signingKeys: Pick<SigningKeys, 'publicKeys' | 'refresh'>): Handler {
  return async ({ request }) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowedOnPath();
    await signingKeys.refresh();
    return {
      status: 200,
      headers: { 'content-type': 'application/jwk-set+json', 'cache-control': 'public, max-age=300' },
      body: JSON.stringify(signingKeys.publicKeys()),
    };
  };
}
