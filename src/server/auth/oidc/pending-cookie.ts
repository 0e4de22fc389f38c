import { isJsonObject, type JsonValue, numberAt, textAt } from '@flotilla/json';
import type { PendingSignIn } from '../../../auth/oidc/connector.ts';
import type { IncomingRequest } from '../../../http/exchange.ts';
import { requestCookie, requestCookies } from '../../../http/session/request-cookies.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Sealer } from '../../../seal/sealer.ts';

/** A sign-in that waits for the provider, with all data that any server needs to complete it. */
export interface StoredSignIn extends PendingSignIn {
  readonly redirectUri: string;
  /** The path on this server to which the browser goes after the sign-in. */
  readonly returnTo: string;
  /** The key of the login that the browser had before; '' if it had none. */
  readonly previousLogin: string;
}

const namePrefix = '__Host-flotilla-oidc-';
/** SameSite is Lax, because the provider sends the browser back with a request from another site. */
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';
const purpose = 'pending sign-in at a provider';
const lifetimeSeconds = 600;

/**
 * The maximum number of pending sign-ins in a browser. Each tab can have one. A further sign-in replaces the oldest.
 */
const maxPending = 4;

/** Matches the values of `state` that this server creates. Each value is part of a cookie name. */
const statePattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Keeps pending sign-ins in sealed cookies of the browser. The server needs no table that anonymous requests could fill,
 * and a sign-in can be completed only in the browser in which it began.
 */
export class PendingCookies {
  readonly #sealer: Sealer;
  readonly #clock: Clock;

  constructor(sealer: Sealer, clock: Clock) {
    this.#sealer = sealer;
    this.#clock = clock;
  }

  /** Returns the Set-Cookie headers that store a sign-in. */
  store(request: Pick<IncomingRequest, 'headers'>, signIn: StoredSignIn): string[] {
    const content = JSON.stringify({ ...signIn, expiresAt: this.#clock.now() + lifetimeSeconds * 1000 });
    const sealed = this.#sealer.seal(purpose, content);
    // Browsers send older cookies first, so the surplus cookies are at the start of the list.
    const surplus = requestCookies(request, namePrefix).slice(0, -(maxPending - 1));
    return [
      `${nameOf(signIn.state)}=${sealed}; ${attributes}; Max-Age=${lifetimeSeconds}`,
      ...surplus.filter(({ name }) => isOwnName(name)).map(({ name }) => removal(name)),
    ];
  }

  /** Returns the sign-in with this state that the browser began; `undefined` if there is none or it has expired. */
  find(request: Pick<IncomingRequest, 'headers'>, state: string): StoredSignIn | undefined {
    if (!statePattern.test(state)) return undefined;
    const sealed = requestCookie(request, nameOf(state));
    const content = sealed === undefined ? undefined : this.#open(sealed);
    if (content === undefined || (numberAt(content, 'expiresAt') ?? 0) <= this.#clock.now()) return undefined;
    const found = {
      connector: textAt(content, 'connector'),
      state: textAt(content, 'state'),
      nonce: textAt(content, 'nonce'),
      codeVerifier: textAt(content, 'codeVerifier'),
      redirectUri: textAt(content, 'redirectUri'),
      returnTo: textAt(content, 'returnTo'),
      previousLogin: textAt(content, 'previousLogin'),
    };
    return found.state === state ? found : undefined;
  }

  /** Returns the Set-Cookie headers that remove the sign-in with this state. */
  remove(state: string): string[] {
    return statePattern.test(state) ? [removal(nameOf(state))] : [];
  }

  #open(sealed: string): JsonValue | undefined {
    try {
      const content: JsonValue = JSON.parse(this.#sealer.open(purpose, sealed));
      return isJsonObject(content) ? content : undefined;
    } catch {
      return undefined;
    }
  }
}

function nameOf(state: string): string {
  return `${namePrefix}${state.slice(0, 16)}`;
}

function isOwnName(name: string): boolean {
  return /^[A-Za-z0-9_-]{16}$/.test(name.slice(namePrefix.length));
}

function removal(name: string): string {
  return `${name}=; ${attributes}; Max-Age=0`;
}
