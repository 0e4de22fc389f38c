import { badRequest, methodNotAllowedOnPath, tooManyRequests } from '../api/status.ts';
import type { Handler } from '../http/exchange.ts';
import { TooManySigningKeysError } from '../process/signing-key-file.ts';
import type { SigningKeys } from '../process/signing-keys.ts';

/** Keys go one by one as their tokens end; nobody has to ask for it every second. */
const retrySeconds = 3600;

/** POST `/auth/signing-keys`: a new key signs from now on; with `revoke=true` the tokens of the older ones end at once. */
export function signingKeysHandler(signingKeys: SigningKeys): Handler {
  return async (exchange) => {
    if (exchange.request.method !== 'POST') throw methodNotAllowedOnPath();
    const asked = exchange.query.get('revoke') ?? 'false';
    if (asked !== 'true' && asked !== 'false') throw badRequest('revoke must be true or false');
    try {
      const { kid } = await signingKeys.rotate({ revoke: asked === 'true' });
      const body = JSON.stringify({ kid, keys: signingKeys.publicKeys().keys });
      return { status: 201, headers: { 'content-type': 'application/json' }, body };
    } catch (error) {
      if (error instanceof TooManySigningKeysError) throw tooManyRequests(error.message, retrySeconds);
      throw error;
    }
  };
}

/** GET `/auth/jwks`, for whoever checks tokens; they ask again when a token names a key that they do not know. */
export function jwksHandler(signingKeys: Pick<SigningKeys, 'publicKeys'>): Handler {
  return async ({ request }) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowedOnPath();
    return {
      status: 200,
      headers: { 'content-type': 'application/jwk-set+json', 'cache-control': 'public, max-age=300' },
      body: JSON.stringify(signingKeys.publicKeys()),
    };
  };
}
