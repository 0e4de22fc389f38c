import { type JsonObject, type JsonValue, numberAt, parseTrustedJson, valueAt, writeJson } from '@flotilla/json';
import { renewLoginPath } from '../../../api/auth/cli-login.ts';
import { StatusError } from '../../../api/status.ts';
import { escapeControlCharacters } from '../../../client/escape-controls.ts';
import { sendRequest } from '../../../client/send-request.ts';
import { CliError, exitCodes } from '../../cli-error.ts';
import { withConfigLock, withLogin } from '../../config/change-config.ts';
import { type Login, readConfig, writeConfig } from '../../config/config-file.ts';
import { configPath } from '../../config/config-path.ts';
import type { Environment } from '../../environment.ts';
import { httpsFetch } from '../https-fetch.ts';
import { fingerprintOf, renewalAfter } from './login-renewal.ts';

export interface RenewalCall {
  readonly environment: Environment;
  /** Called with the reason if the server no longer renews the login. */
  warn(text: string): void;
}

const timeoutMilliseconds = 15_000;

/**
 * Renews the login of a person before it ends, and saves it. Returns the login to use. If several commands run, one of
 * them renews the login, and the others wait for the renewal. Throws an error if the login has ended. If the server
 * does not respond, or the new access key cannot be saved, the command uses the current access key until it expires.
 */
export async function renewGrantedLogin(name: string, login: Login, call: RenewalCall): Promise<Login> {
  if (!isDue(login)) return login;
  const path = configPath(call.environment);
  try {
    return await withConfigLock(path, async () => {
      const current = (await readConfig(path)).logins.get(name);
      if (current === undefined) return login;
      return isDue(current) ? await renew(path, name, current, call) : current;
    });
  } catch (error) {
    if (error instanceof EndedLoginError) throw error;
    return login;
  }
}

/** The error of a login that the server no longer accepts. */
class EndedLoginError extends CliError {}

/**
 * True if the login must be renewed now. False for a login that has ended, unless an earlier renewal of the login was
 * interrupted.
 */
function isDue({ renewal, expires }: Login): boolean {
  if (renewal === undefined || Date.parse(renewal.after) > Date.now()) return false;
  return renewal.nextKey !== undefined || expires === undefined || Date.parse(expires) > Date.now();
}

async function renew(path: string, name: string, login: Login, call: RenewalCall): Promise<Login> {
  const { generateAccessKey } = await import('../../../server/auth/new-access-key.ts');
  const save = async (changed: Login) => {
    await writeConfig(path, withLogin(await readConfig(path), name, changed));
    return changed;
  };
  const { renewal, ...ended } = login;
  const nextKey = renewal?.nextKey ?? generateAccessKey();
  if (renewal?.nextKey === undefined)
    await save({ ...login, renewal: { after: renewal?.after ?? new Date().toISOString(), nextKey } });
  try {
    const renewed = await requestRenewal(login, nextKey, call);
    return await save({ ...ended, ...renewed, renewedFrom: fingerprintOf(login.accessKey) });
  } catch (error) {
    const code = error instanceof StatusError ? error.code : undefined;
    if (code === 401) {
      await save(ended);
      const named = name === new URL(login.url).host ? '' : ` --name ${name}`;
      throw new EndedLoginError(`the login at ${login.url} has ended`, {
        exitCode: exitCodes.refused,
        next: `log in again: flotilla login ${login.url}${named}`,
        cause: error,
      });
    }
    // 404: the server does not have this path, because it is an older version or has no console.
    if (error instanceof StatusError && (code === 403 || code === 404)) {
      const reason = code === 404 ? 'the server renews no logins' : escapeControlCharacters(error.message);
      const end = login.expires === undefined ? '' : ` and ends at ${login.expires}`;
      call.warn(`${reason}${end}; log in again: flotilla login ${login.url}`);
      return await save(ended);
    }
    const seconds = error instanceof StatusError ? error.status.details?.retryAfterSeconds : undefined;
    if (seconds === undefined) throw error;
    // The server accepts no renewal before the time that it returned. Keep `nextKey`, because the server may have
    // received it.
    return await save({ ...login, renewal: { after: new Date(Date.now() + seconds * 1000).toISOString(), nextKey } });
  }
}

/**
 * Sends a request that makes `nextKey` the access key of the login. If the server does not accept the current access
 * key, tries `nextKey`, because an earlier request may already have replaced the current key.
 */
async function requestRenewal(login: Login, nextKey: string, { environment }: RenewalCall) {
  const { url, authority } = login;
  const { fetch, close } = httpsFetch({ url, authority, environment, warn() {} });
  const send = async (token: string) => {
    const response = await sendRequest(
      { fetch, token: () => token },
      {
        method: 'POST',
        url: `${url}${renewLoginPath}`,
        body: { type: 'application/json', text: writeJson({ accessKey: nextKey }) },
        signal: AbortSignal.timeout(timeoutMilliseconds),
      },
    );
    return renewedIn(parseTrustedJson(await response.text()), nextKey);
  };
  try {
    return await send(login.accessKey);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 401) throw error;
    return await send(nextKey);
  } finally {
    close();
  }
}

function renewedIn(response: JsonValue, accessKey: string): Pick<Login, 'accessKey' | 'expires' | 'renewal'> {
  const lifetime = numberAt(response as JsonObject, 'expires_in') ?? 0;
  return {
    accessKey,
    expires: new Date(Date.now() + lifetime * 1000).toISOString(),
    ...(valueAt(response as JsonObject, 'renewable') === true ? { renewal: renewalAfter(lifetime) } : {}),
  };
}
