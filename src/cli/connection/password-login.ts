import { textAt } from '@flotilla/json';
import { StatusError } from '../../api/status.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import { promptSecret } from '../input/prompt-user.ts';
import { readSecretFromStdin } from '../input/read-stdin.ts';
import type { ServerAddress } from './server-address.ts';
import { withServerConnection } from './server-api.ts';

/** Logs in with a user name and a password. Returns the access key of the new login. */
export async function logInWithPassword(
  address: ServerAddress,
  authority: string | undefined,
  username: string,
  call: CommandCall,
): Promise<string> {
  const password = await passwordOf(username, call);
  const access = { ...address, authority, accessKey: '', project: '', context: undefined };
  const response = await withServerConnection(access, call, (api) =>
    api.json({
      method: 'POST',
      path: '/auth/password/login',
      body: { username, password },
      signal: call.interrupted,
    }),
  ).catch((error: unknown) => {
    if (!(error instanceof StatusError) || error.code !== 401) throw error;
    throw new CliError('wrong username or password', { exitCode: exitCodes.refused, cause: error });
  });
  return textAt(response, 'accessKey');
}

async function passwordOf(username: string, call: CommandCall): Promise<string> {
  if (call.values.flag('password-stdin')) return await readSecretFromStdin('password');
  if (call.terminal.canPrompt) return await promptSecret(`Password for ${username}: `, call);
  throw new CliError('cannot ask for the password without a terminal', {
    exitCode: exitCodes.usage,
    next: 'pipe it in and pass --password-stdin',
  });
}
