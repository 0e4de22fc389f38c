import { tokenFingerprint } from '../../auth/token-fingerprint.ts';
import type { Exchange, IncomingRequest, PresentedCredential } from '../exchange.ts';
import { bearerTokenOf } from './bearer-token.ts';
import { sessionCookieOf } from './session-cookie.ts';

interface ActiveCredential {
  readonly presented: PresentedCredential;
  requests: number;
}

/**
 * Credentials of the requests that are being served. Requests with the same Authorization header share one entry, so
 * that the fingerprint is computed once. The last of these requests removes the entry. Lookup times reveal nothing
 * about other credentials: a map compares strings only if their hashes are equal, and the hash seed is secret.
 */
export class PresentedCredentials {
  readonly #active = new Map<string, ActiveCredential>();

  /**
   * Returns the request's credential, and shares it with other requests until the reply. `undefined` if the request has
   * no credential.
   */
  of({ request, completion }: Pick<Exchange, 'request' | 'completion'>): PresentedCredential | undefined {
    const { authorization } = request.headers;
    // A WebSocket request may contain its token in a subprotocol, so its Authorization header alone does not identify
    // the credential.
    if (authorization === undefined || request.webSocket) return parseCredential(request);
    const existing = this.#active.get(authorization);
    if (existing !== undefined) {
      existing.requests++;
      completion.onComplete(() => this.#release(authorization, existing));
      return existing.presented;
    }
    const presented = parseCredential(request);
    if (presented?.isBearer !== true) return presented;
    const active: ActiveCredential = { presented, requests: 1 };
    this.#active.set(authorization, active);
    completion.onComplete(() => this.#release(authorization, active));
    return presented;
  }

  #release(authorization: string, active: ActiveCredential): void {
    active.requests--;
    if (active.requests === 0) this.#active.delete(authorization);
  }
}

function parseCredential(request: IncomingRequest): PresentedCredential | undefined {
  const bearer = bearerTokenOf(request);
  const token = bearer ?? sessionCookieOf(request);
  return token === undefined
    ? undefined
    : { token, fingerprint: tokenFingerprint(token), isBearer: bearer !== undefined };
}
