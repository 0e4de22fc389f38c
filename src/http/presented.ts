import { tokenMark } from '../auth/token-mark.ts';
import { credentialOf } from './credential.ts';
import type { Exchange, IncomingRequest } from './exchange.ts';
import { sessionCookieOf } from './session-cookie.ts';

/** A credential as a request came with it. */
export interface Presented {
  readonly token: string;
  /** Its `tokenMark`, which takes its time. */
  readonly mark: string;
  /** False: a browser's cookie. */
  readonly isBearer: boolean;
}

interface UnderWay {
  readonly presented: Presented;
  requests: number;
}

/**
 * What requests come with, found out once for those that are under way at the same time with the same header. None is kept
 * longer than they are, whose header it is. The map compares texts only where their hashes are equal, whose seed nobody
 * knows: how long a look-up takes says nothing about a credential that another one came with.
 */
export class PresentedCredentials {
  readonly #underWay = new Map<string, UnderWay>();

  /** Found until the request is answered; undefined: it came with none. */
  of({ request, settlement }: Pick<Exchange, 'request' | 'settlement'>): Presented | undefined {
    const { authorization } = request.headers;
    // A browser's WebSocket may bring it elsewhere, whatever stands in that header.
    if (authorization === undefined || request.webSocket) return newlyPresented(request);
    const known = this.#underWay.get(authorization);
    if (known !== undefined) {
      known.requests++;
      settlement.follow(() => this.#leave(authorization, known));
      return known.presented;
    }
    const presented = newlyPresented(request);
    if (presented?.isBearer !== true) return presented;
    const underWay: UnderWay = { presented, requests: 1 };
    this.#underWay.set(authorization, underWay);
    settlement.follow(() => this.#leave(authorization, underWay));
    return presented;
  }

  #leave(authorization: string, underWay: UnderWay): void {
    underWay.requests--;
    if (underWay.requests === 0) this.#underWay.delete(authorization);
  }
}

function newlyPresented(request: IncomingRequest): Presented | undefined {
  const bearer = credentialOf(request);
  const token = bearer ?? sessionCookieOf(request);
  return token === undefined ? undefined : { token, mark: tokenMark(token), isBearer: bearer !== undefined };
}
