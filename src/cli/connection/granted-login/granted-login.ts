import { hostname } from 'node:os';
import { type JsonValue, numberAt, textAt, valueAt } from '@flotilla/json';
import { cliLoginPath, isClientName } from '../../../api/auth/cli-login.ts';
import { StatusError } from '../../../api/status.ts';
import type { CommandCall } from '../../command-call.ts';
import type { ServerApi } from '../server-api.ts';
import { type LoginRenewal, renewalAfter } from './login-renewal.ts';

/** A login that the user allowed in the console. */
export interface GrantedLogin {
  readonly accessKey: string;
  /** The end of the login in RFC 3339 format. Absent if the login has no end. */
  readonly expires?: string;
  /** Present if the server renews the login. */
  readonly renewal?: LoginRenewal;
}

export type LoginCall = Pick<CommandCall, 'terminal' | 'environment' | 'interrupted'>;

/** Returns false if the server has no console, or does not support logins through it. */
export async function offersGrantedLogin(api: ServerApi, signal: AbortSignal): Promise<boolean> {
  try {
    await api.json({ path: cliLoginPath, signal });
    return true;
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return false;
    throw error;
  }
}

/** Reads the response of a token endpoint. */
export function readGrantedLogin(response: JsonValue): GrantedLogin {
  const seconds = numberAt(response, 'expires_in');
  return {
    accessKey: textAt(response, 'access_token'),
    ...(seconds === undefined ? {} : { expires: new Date(Date.now() + seconds * 1000).toISOString() }),
    ...(seconds !== undefined && valueAt(response, 'renewable') === true ? { renewal: renewalAfter(seconds) } : {}),
  };
}

/** Returns the name of this machine as the console shows it. */
export function clientName(host: string = hostname()): string {
  const name = host
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 63);
  return isClientName(name) ? name : 'unknown-host';
}

/** Returns the OAuth error code of a response; `undefined` if the error is not an OAuth error (RFC 6749, section 5.2). */
export function oauthErrorOf(error: unknown): string | undefined {
  const [cause] = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  return cause?.reason;
}
