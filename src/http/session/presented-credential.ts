import { tokenFingerprint } from '../../auth/token-fingerprint.ts';
import type { Exchange, IncomingRequest, PresentedCredential } from '../exchange.ts';
import { bearerTokenOf } from './bearer-token.ts';
import { sessionCookieOf } from './session-cookie.ts';

interface ActiveCredential {
  readonly presented: PresentedCredential;
  requests: number;
}

/**
 * The credentials of active requests, parsed once for concurrent requests with the same header. An entry is removed
 * with the last of them. The map compares strings only if their hashes are equal, and the seed of the hash is secret,
 * so the duration of a lookup reveals nothing about the credentials of other requests.
 */
export class PresentedCredentials {
  readonly #active = new Map<string, ActiveCredential>();

  /** Returns the credential and retains it until the reply; `undefined` if the request has none. */
  of({ request, completion }: Pick<Exchange, 'request' | 'completion'>): PresentedCredential | undefined {
    const { authorization } = request.headers;
    // A browser's WebSocket may send its token in a subprotocol, whatever the Authorization header contains.
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
