import { freshLoginCause } from '../../api/naming.ts';
import { StatusError } from '../../api/status.ts';
import type { CommandCall } from '../command-call.ts';
import { changeConfig, withLogin } from '../config/change-config.ts';
import { configPath } from '../config/config-path.ts';
import { promptSecret } from '../input/prompt-user.ts';
import { fetchSelf } from './fetch-self.ts';
import { requestPasswordLogin } from './password-login.ts';
import { resolveAccess, type ServerAccess } from './resolve-access.ts';
import { type ServerApi, withServerConnection } from './server-api.ts';

/**
 * Calls `use` with a connection to the server, like `withServer`. If the server requires a recent login, asks for the
 * password and calls `use` again. Therefore everything that `use` does before the rejected request must be repeatable.
 */
export async function withFreshLogin<T>(call: CommandCall, use: (api: ServerApi) => Promise<T>): Promise<T> {
  const access = await resolveAccess(call);
  try {
    return await withServerConnection(access, call, use);
  } catch (error) {
    if (!needsFreshLogin(error) || !call.terminal.canPrompt) throw error;
    const before = await withServerConnection(access, call, (api) => fetchSelf(api, call.interrupted));
    const user = before?.status?.user?.name ?? '';
    if (user === '') throw error;
    call.terminal.printToStderr(
      'this change needs a recent login; enter your password, or press Ctrl-C and log in again\n',
    );
    const password = await promptSecret(`Password for ${user}: `, call);
    const accessKey = await requestPasswordLogin(access, { username: user, password }, call);
    const fresh: ServerAccess = { ...access, accessKey };
    const replacesLogin = before?.status?.accessKeyType === 'Login' && access.context !== undefined;
    if (replacesLogin) await saveLogin(access, accessKey, call);
    try {
      return await withServerConnection(fresh, call, use);
    } finally {
      // End the login that is no longer needed: the old saved login if the new login replaced it, or the new login if
      // the command uses an access key.
      await logOut(replacesLogin ? access : fresh, call);
    }
  }
}

function needsFreshLogin(error: unknown): boolean {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  return causes.some(({ reason }) => reason === freshLoginCause);
}

async function saveLogin({ context = '' }: ServerAccess, accessKey: string, call: CommandCall): Promise<void> {
  await changeConfig(configPath(call.environment), (config) => {
    const saved = config.logins.get(context);
    if (saved === undefined) return config;
    // Remove the fields about expiry and renewal: the expiry of the new login is unknown, and the server does not renew
    // logins with a password.
    const { expires: _ended, renewal: _renewal, renewedFrom: _before, ...login } = saved;
    return withLogin(config, context, { ...login, accessKey });
  });
}

/**
 * Ends a login. Ignores error responses: a new password may have ended the login already, and otherwise the login
 * expires later.
 */
async function logOut(access: ServerAccess, call: CommandCall): Promise<void> {
  await withServerConnection(access, call, (api) => api.json({ method: 'POST', path: '/auth/logout' })).catch(
    (error: unknown) => {
      if (!(error instanceof StatusError)) throw error;
    },
  );
}
