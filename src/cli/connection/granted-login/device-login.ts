import { numberAt, textAt } from '@flotilla/json';
import { deviceCodePath, deviceGrantType, deviceTokenPath } from '../../../api/auth/cli-login.ts';
import { StatusError } from '../../../api/status.ts';
import { escapeControlCharacters } from '../../../client/escape-controls.ts';
import { CliError, exitCodes } from '../../cli-error.ts';
import { pause } from '../../pause.ts';
import type { ServerApi } from '../server-api.ts';
import { clientName, type GrantedLogin, type LoginCall, oauthErrorOf, readGrantedLogin } from './granted-login.ts';

/**
 * The number of seconds that a client adds to its polling interval if the server responds with `slow_down` (RFC 8628,
 * section 3.5).
 */
const slowDownSeconds = 5;

/**
 * Logs in without a browser on this machine: on any machine, the user opens the console, enters a code, and allows the
 * login (RFC 8628).
 */
export async function logInWithCode(api: ServerApi, call: LoginCall): Promise<GrantedLogin> {
  const { terminal, interrupted } = call;
  const started = await api.json({
    method: 'POST',
    path: deviceCodePath,
    form: { client_id: clientName() },
    signal: interrupted,
  });
  const shown = (name: string) => escapeControlCharacters(textAt(started, name));
  terminal.printToStderr(
    `Open this address in a browser on any machine:\n\n  ${shown('verification_uri')}\n\n` +
      `and enter the code:\n\n  ${shown('user_code')}\n\nPress Ctrl-C to cancel.\n`,
  );
  const deadline = performance.now() + (numberAt(started, 'expires_in') ?? 0) * 1000;
  let interval = numberAt(started, 'interval') ?? slowDownSeconds;
  const form = { grant_type: deviceGrantType, device_code: textAt(started, 'device_code') };
  while (performance.now() < deadline) {
    await pause(interval * 1000, interrupted);
    try {
      return readGrantedLogin(await api.json({ method: 'POST', path: deviceTokenPath, form, signal: interrupted }));
    } catch (error) {
      interrupted.throwIfAborted();
      interval += addedWait(error);
    }
  }
  throw expired();
}

/**
 * Returns the number of seconds to add to the polling interval after an error. Throws if the error means that the login
 * has failed.
 */
function addedWait(error: unknown): number {
  switch (oauthErrorOf(error)) {
    case 'authorization_pending':
      return 0;
    case 'slow_down':
      return slowDownSeconds;
    case 'access_denied':
      throw new CliError('the login was denied in the browser', { exitCode: exitCodes.refused, cause: error });
    case 'expired_token':
      throw expired(error);
    default:
      if (isTemporary(error)) return slowDownSeconds;
      throw error;
  }
}

/**
 * True if the login can still succeed after this error, for example if the server restarts or asks the client to wait.
 */
function isTemporary(error: unknown): boolean {
  if (error instanceof StatusError) return error.code === 429 || error.code >= 500;
  return error instanceof CliError;
}

function expired(cause?: unknown): CliError {
  return new CliError('the code has expired', { exitCode: exitCodes.timeout, next: 'log in again', cause });
}
