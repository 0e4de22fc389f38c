import { flagAt, type JsonValue, numberAt, textAt, textsAt } from '@flotilla/json';
import { tooManyRequests } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Store } from '../../store/store.ts';
import { GrantRows } from '../auth/grants/grant-rows.ts';

/** The authorization request that a user has approved, and the login in which the user approved it. */
export interface CodeGrant {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly codeChallenge: string;
  readonly nonce?: string;
  /** The name and UID of the login. */
  readonly login: string;
  readonly loginUid: string;
}

interface StoredCode extends CodeGrant {
  /** The time after which the code is refused, in milliseconds since the epoch. */
  readonly usableUntil: number;
  /** The name of the session that was opened with the code. Absent if the code was not used yet. */
  readonly session?: string;
  /** True if the code was presented again. The session that was opened with the code must then end. */
  readonly isReplayed?: boolean;
}

export interface AuthorizationCodesOptions {
  readonly store: Pick<Store, 'get' | 'list' | 'transact'>;
  readonly sealer: Pick<Sealer, 'seal' | 'open' | 'hash'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Time in milliseconds within which an app must use a code. Apps use it immediately. */
const usableMilliseconds = 60_000;
/** Time in seconds for which a used code is remembered, to detect another use of the code. */
const rememberedSeconds = 15 * 60;

/** Codes that apps exchange for tokens. Each code opens only one session, even if it is used at several replicas. */
export class AuthorizationCodes {
  readonly #rows: GrantRows<StoredCode>;
  readonly #clock: Clock;

  constructor(options: AuthorizationCodesOptions) {
    this.#clock = options.clock;
    this.#rows = new GrantRows<StoredCode>({
      ...options,
      table: 'oidc-codes',
      ttlSeconds: rememberedSeconds,
      maxPerSource: 100,
      maxTotal: 50_000,
      parse,
    });
  }

  close(): void {
    this.#rows.close();
  }

  async issue(user: string, grant: CodeGrant): Promise<string> {
    const usableUntil = this.#clock.now() + usableMilliseconds;
    const created = await this.#rows.create(user, { ...grant, usableUntil });
    if (created === undefined) throw tooManyRequests('Too many sign-ins to apps, please try again later.', 60);
    return created.code;
  }

  /** Returns the grant of a code. The code may have been used or have expired. */
  async read(code: string): Promise<CodeGrant | undefined> {
    return await this.#rows.read(code);
  }

  /**
   * Uses a code for a new session. Returns `undefined` if this is the first use, 'expired' if the code has expired, or
   * the session that an earlier use has opened. The caller must end that earlier session.
   */
  async use(code: string, session: string): Promise<undefined | 'expired' | { readonly earlierSession: string }> {
    const used = await this.#rows.update(code, (stored) =>
      stored.session === undefined && this.#clock.now() < stored.usableUntil ? { ...stored, session } : undefined,
    );
    if (used !== undefined) return undefined;
    const replayed = await this.#rows.update(code, (stored) =>
      stored.session === undefined ? undefined : { ...stored, isReplayed: true },
    );
    return replayed?.session === undefined ? 'expired' : { earlierSession: replayed.session };
  }

  /** True if a code was presented again after its first use. This may have happened before its session existed. */
  async isReplayed(code: string): Promise<boolean> {
    return (await this.#rows.read(code))?.isReplayed === true;
  }
}

function parse(value: JsonValue): StoredCode {
  const [nonce, session] = [textAt(value, 'nonce'), textAt(value, 'session')];
  return {
    clientId: textAt(value, 'clientId'),
    redirectUri: textAt(value, 'redirectUri'),
    scopes: textsAt(value, 'scopes'),
    codeChallenge: textAt(value, 'codeChallenge'),
    login: textAt(value, 'login'),
    loginUid: textAt(value, 'loginUid'),
    usableUntil: numberAt(value, 'usableUntil') ?? 0,
    isReplayed: flagAt(value, 'isReplayed'),
    ...(nonce === '' ? {} : { nonce }),
    ...(session === '' ? {} : { session }),
  };
}
