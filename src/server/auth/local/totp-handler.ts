import { textAt } from '@flotilla/json';
import { userKind } from '../../../api/management/v1/user.ts';
import { groupResourceOf } from '../../../api/resource.ts';
import type { SecondFactorState } from '../../../api/second-factor.ts';
import { badRequest, forbiddenPath, methodNotAllowedOnPath } from '../../../api/status.ts';
import { systemContext } from '../../../controlplane/system-context.ts';
import type { Exchange, Handler } from '../../../http/exchange.ts';
import type { Reply } from '../../../http/reply.ts';
import { callerOf } from '../../../http/session/caller.ts';
import { scopesOf } from '../../../management/access-keys/access-key-state.ts';
import { requireFreshLogin } from '../../../management/access-keys/fresh-login.ts';
import { hasSecondFactor, recoveryCodesLeft, removeSecondFactor } from '../../../management/accounts/second-factor.ts';
import { writeAccount } from '../../../management/accounts/write-account.ts';
import type { ManagementSettings } from '../../../management/settings.ts';
import type { ManagementState } from '../../../management/state.ts';
import { jsonReply, readJson, successStatus } from '../login-body.ts';
import { finishSetup, type SecondFactorOptions, spendCode } from './second-factor-check.ts';
import { startSetup } from './second-factor-setup.ts';

export interface TotpHandlerOptions extends SecondFactorOptions {
  readonly state: ManagementState;
  readonly settings: ManagementSettings;
}

/**
 * Handles `/auth/totp`, the second factor of the caller. GET returns its state. POST with an empty body starts the
 * setup, and POST with `setup` and `code` completes the setup. DELETE with `code` removes the second factor. Changes
 * need a recent login.
 */
export function totpHandler(options: TotpHandlerOptions): Handler {
  return async (exchange) => {
    const answer = methods.get(exchange.request.method);
    if (answer === undefined) throw methodNotAllowedOnPath();
    return await answer(exchange, ownUser(exchange, options), options);
  };
}

type Answer = (exchange: Exchange, user: string, options: TotpHandlerOptions) => Promise<Reply>;

const getState: Answer = async (_exchange, user, { state, policy }) => {
  const hidden = state.userHidden(user);
  const body: SecondFactorState = {
    policy,
    enabled: hasSecondFactor(hidden),
    recoveryCodes: recoveryCodesLeft(hidden),
  };
  return jsonReply(200, body);
};

const setUp: Answer = async (exchange, user, options) => {
  requireEnabled(options);
  requireRecentLogin(exchange, 'setting up a second factor', options);
  const sent = await readJson(exchange);
  const [setup, code] = [textAt(sent, 'setup'), textAt(sent, 'code')];
  if (hasSecondFactor(options.state.userHidden(user)))
    throw badRequest('you already have a second factor; remove it first');
  if (setup === '') return jsonReply(200, startSetup(user, options));
  const recoveryCodes = await finishSetup(user, { setup, code }, options);
  if (recoveryCodes === undefined)
    throw badRequest('the code is wrong, or the setup took longer than 15 minutes; check the clock of your device');
  return jsonReply(201, { recoveryCodes });
};

const remove: Answer = async (exchange, user, options) => {
  requireEnabled(options);
  requireRecentLogin(exchange, 'removing a second factor', options);
  if (options.policy === 'required')
    throw forbiddenPath('this server requires a second factor (auth.password.secondFactor: required)');
  const code = textAt(await readJson(exchange), 'code');
  if (code === '' || !(await spendCode(user, code, options)))
    throw forbiddenPath('the body must have the string "code" with a valid code of the app or a recovery code');
  await writeAccount(options.kinds, { user, change: removeSecondFactor });
  return jsonReply(200, successStatus);
};

const methods: ReadonlyMap<string, Answer> = new Map([
  ['GET', getState],
  ['HEAD', getState],
  ['POST', setUp],
  ['DELETE', remove],
]);

/** Returns the user whose access key or login sent the request. Throws if the access key has a scope. */
function ownUser(exchange: Exchange, { state }: TotpHandlerOptions): string {
  const key = state.accessKey(callerOf(exchange).accessKey ?? '');
  const user = key?.spec?.user ?? '';
  if (key === undefined || user === '') throw forbiddenPath('only users have a second factor; log in as a user');
  if (scopesOf(key, state).length > 0) throw forbiddenPath('the scope of the access key does not include the account');
  return user;
}

function requireEnabled({ policy }: TotpHandlerOptions): void {
  if (policy !== 'off') return;
  throw forbiddenPath('second factors are disabled on this server (auth.password.secondFactor: off)');
}

function requireRecentLogin(exchange: Exchange, change: string, options: TotpHandlerOptions): void {
  const { accessKey = '' } = callerOf(exchange);
  const name = options.state.accessKey(accessKey)?.spec?.user ?? '';
  const context = { ...systemContext(''), system: false, accessKey };
  requireFreshLogin({ resource: groupResourceOf(userKind), name, change }, context, options);
}
