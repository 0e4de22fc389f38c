import { textAt, textsAt } from '@flotilla/json';
import { secondFactorCause, secondFactorSetupCause } from '../../api/second-factor.ts';
import { type StatusCause, StatusError } from '../../api/status.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import { promptSecret } from '../input/prompt-user.ts';
import { readSecretFromStdin } from '../input/read-stdin.ts';
import type { ServerAccess } from './resolve-access.ts';
import type { ServerAddress } from './server-address.ts';
import { withServerConnection } from './server-api.ts';

interface PasswordCredentials {
  readonly username: string;
  readonly password: string;
  /** The code of the second factor. */
  readonly code?: string;
  /** The second factor that the user sets up during the login. */
  readonly setup?: string;
}

/** Logs in with a user name and a password. Returns the access key of the new login. */
export async function logInWithPassword(
  address: ServerAddress,
  authority: string | undefined,
  username: string,
  call: CommandCall,
): Promise<string> {
  return await requestPasswordLogin(
    { ...address, authority },
    { username, password: await passwordOf(username, call) },
    call,
  );
}

/**
 * Logs in on the server. Asks for the code of a second factor if the login needs one. Returns the access key of the
 * login.
 */
export async function requestPasswordLogin(
  server: Pick<ServerAccess, 'url' | 'apiPrefix' | 'authority'>,
  credentials: PasswordCredentials,
  call: CommandCall,
): Promise<string> {
  try {
    return await sendLogin(server, credentials, call);
  } catch (error) {
    const causes = error instanceof StatusError && error.code === 401 ? (error.status.details?.causes ?? []) : [];
    const proof = await promptSecondFactor(causes, call);
    if (proof === undefined) throw refusalOf(error, 'wrong username or password');
    return await sendLogin(server, { ...credentials, ...proof }, call).catch((refused: unknown) => {
      throw refusalOf(refused, 'wrong code');
    });
  }
}

async function sendLogin(
  { url, apiPrefix, authority }: Pick<ServerAccess, 'url' | 'apiPrefix' | 'authority'>,
  credentials: PasswordCredentials,
  call: CommandCall,
): Promise<string> {
  const access = { url, apiPrefix, authority, accessKey: '', project: '', context: undefined };
  const body = { ...credentials };
  const response = await withServerConnection(access, call, (api) =>
    api.json({ method: 'POST', path: '/auth/password/login', body, signal: call.interrupted }),
  );
  const recoveryCodes = textsAt(response, 'recoveryCodes');
  if (recoveryCodes.length > 0) {
    const codes = recoveryCodes.map((code) => `  ${code}\n`).join('');
    call.terminal.printToStderr(
      `recovery codes, each of which replaces a code of the app once; keep them in a safe place:\n${codes}`,
    );
  }
  return textAt(response, 'accessKey');
}

/** Asks for the code that a login needs. `undefined` if the server did not ask for one. */
async function promptSecondFactor(
  causes: readonly StatusCause[],
  call: CommandCall,
): Promise<Pick<PasswordCredentials, 'code' | 'setup'> | undefined> {
  const isSetup = causes.some(({ reason }) => reason === secondFactorSetupCause);
  if (!isSetup && !causes.some(({ reason }) => reason === secondFactorCause)) return undefined;
  if (!call.terminal.canPrompt) {
    throw new CliError('the login needs the code of a second factor, and there is no terminal to ask for it', {
      exitCode: exitCodes.refused,
      next: 'log in with an access key in scripts: flotilla login --access-key-stdin',
    });
  }
  if (!isSetup) return { code: await promptSecret('Code from your authenticator app, or a recovery code: ', call) };
  const field = (name: string) => causes.find((cause) => cause.field === name)?.message ?? '';
  call.terminal.printToStderr(
    `this server requires a second factor; add this key to your authenticator app:\n  ${field('secret')}\n  ${field('uri')}\n`,
  );
  return { setup: field('setup'), code: await promptSecret('Code that the app shows: ', call) };
}

function refusalOf(error: unknown, message: string): unknown {
  if (!(error instanceof StatusError) || error.code !== 401) return error;
  return new CliError(message, { exitCode: exitCodes.refused, cause: error });
}

async function passwordOf(username: string, call: CommandCall): Promise<string> {
  if (call.values.flag('password-stdin')) return await readSecretFromStdin('password');
  if (call.terminal.canPrompt) return await promptSecret(`Password for ${username}: `, call);
  throw new CliError('cannot ask for the password without a terminal', {
    exitCode: exitCodes.usage,
    next: 'pipe it in and pass --password-stdin',
  });
}
