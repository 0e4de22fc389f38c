import { textAt } from '@flotilla/json';
import { type AccessKey, accessKeyKind } from '../../../api/management/v1/access-key.ts';
import {
  badRequest,
  forbiddenPath,
  methodNotAllowedOnPath,
  StatusError,
  tooManyRequests,
} from '../../../api/status.ts';
import { isWellFormedAccessKey } from '../../../auth/access-key-format.ts';
import type { LoginBackoff } from '../../../auth/login-backoff.ts';
import type { Exchange, Filter, Handler } from '../../../http/exchange.ts';
import { type Freshness, findConfirmed } from '../../../http/freshness.ts';
import type { Reply } from '../../../http/reply.ts';
import type { Clock } from '../../../lib/clock.ts';
import { accessKeyClaim } from '../../../management/access-keys/access-key-state.ts';
import { revokeAllLogins } from '../../../management/access-keys/login-keys.ts';
import { isCurrentResetKey, resettableUser, setResetKey } from '../../../management/accounts/reset-keys.ts';
import { removeResetKey } from '../../../management/accounts/reset-password.ts';
import { writeAccount } from '../../../management/accounts/write-account.ts';
import { accessKeyHashPurpose } from '../../../management/resources/accesskeys.ts';
import type { ManagementState } from '../../../management/state.ts';
import { type KindStores, storeOf } from '../../../registry/kind-stores.ts';
import type { Sealer } from '../../../seal/sealer.ts';
import { jsonReply, readJson, successStatus } from '../login-body.ts';
import type { SignIn } from '../sign-in.ts';
import { requirePasswords } from './password-policy.ts';

export interface ResetHandlerOptions {
  readonly password: { readonly enabled: boolean };
  readonly kinds: KindStores;
  readonly state: ManagementState;
  readonly sealer: Pick<Sealer, 'hash'>;
  readonly backoff: LoginBackoff;
  readonly freshness: Freshness | undefined;
  readonly clock: Clock;
}

interface ResetRequest {
  readonly token: string;
  readonly password: string;
}

/**
 * POST `/auth/password/reset`: sets a new password with the value of a reset link. The write that sets the password also
 * makes the link invalid and ends all logins of the user.
 */
export function resetHandler(
  options: ResetHandlerOptions,
  signIn: Pick<SignIn, 'rejectMalformed'>,
  audited: Filter,
): Handler {
  return async (exchange) => {
    if (exchange.request.method !== 'POST') throw methodNotAllowedOnPath();
    requirePasswords(options.password);
    const sent = await readReset(exchange).catch((error: unknown) => {
      throw signIn.rejectMalformed(exchange, error);
    });
    const { remoteAddress: source } = exchange.request;
    // Failures are counted per presented value, so that the failures of one caller do not block other callers.
    const admitted = options.backoff.admit({ account: `reset link ${sent.token}`, source });
    if (typeof admitted === 'number')
      throw tooManyRequests('Too many failed attempts, please try again later.', Math.ceil(admitted / 1000));
    let isFailed = false;
    try {
      return await audited(exchange, async () => {
        isFailed = true;
        const key = await findKey(sent.token, options);
        if (key === undefined) throw invalidLink(exchange, 'unknown, expired or used link');
        isFailed = false;
        return await reset(exchange, key, sent, options);
      });
    } finally {
      if (!isFailed) admitted.abandon();
    }
  };
}

async function readReset(exchange: Exchange): Promise<ResetRequest> {
  const value = await readJson(exchange);
  const [token, password] = [textAt(value, 'token'), textAt(value, 'password')];
  if (token === '' || password === '') {
    throw badRequest('the body must be a JSON object with the strings "token" and "password"');
  }
  return { token, password };
}

/** Returns the access key of a reset link; `undefined` if the link cannot be used now. */
async function findKey(token: string, options: ResetHandlerOptions): Promise<AccessKey | undefined> {
  const { kinds, state, sealer, freshness, clock } = options;
  if (!isWellFormedAccessKey(token)) return undefined;
  await freshness?.requireCurrent();
  const claim = accessKeyClaim(sealer.hash(accessKeyHashPurpose, token));
  return await findConfirmed(freshness, () => {
    const key = storeOf(kinds, accessKeyKind).byClaim(claim)?.object;
    return key !== undefined && resettableUser(key, state, clock.now()) !== undefined ? key : undefined;
  });
}

async function reset(
  exchange: Exchange,
  key: AccessKey,
  { password }: ResetRequest,
  { kinds }: ResetHandlerOptions,
): Promise<Reply> {
  const { name = '', uid = '' } = key.metadata;
  const { user = '' } = key.spec ?? {};
  const method = `reset link "${name}" of "${user}"`;
  exchange.identity = { user: { name: user, groups: [] }, accessKey: name, system: false, signal: exchange.signal };
  try {
    await writeAccount(kinds, {
      user,
      password,
      change(hidden) {
        if (!isCurrentResetKey(hidden, uid)) throw invalidLink(exchange, 'the link was used or replaced', method);
        setResetKey(hidden, undefined);
        revokeAllLogins(hidden);
      },
    });
  } catch (error) {
    // The user was deleted in the meantime.
    if (error instanceof StatusError && error.code === 404) throw invalidLink(exchange, 'the user is deleted', method);
    throw error;
  }
  exchange.decision = { allowed: true, reason: method };
  await removeResetKey(key, kinds);
  return jsonReply(200, { ...successStatus, message: `the password of ${user} is set` });
}

function invalidLink(exchange: Exchange, cause: string, method = 'reset link'): Error {
  exchange.decision = { allowed: false, reason: `${method}: ${cause}` };
  return forbiddenPath('the link is invalid, has expired or was already used; ask your administrator for a new link');
}
