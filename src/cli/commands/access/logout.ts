import { StatusError } from '../../../api/status.ts';
import { CliError, exitCodes } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { changeConfig } from '../../config/change-config.ts';
import { type Config, type Login, readConfig } from '../../config/config-file.ts';
import { configPath } from '../../config/config-path.ts';
import { withServerConnection } from '../../connection/server-api.ts';

export const run: CommandRun = async (call) => {
  const path = configPath(call.environment);
  const config = await readConfig(path);
  for (const [name, login] of selectedLogins(config, call)) {
    await endOnServer(name, login, call);
    await changeConfig(path, ({ logins: saved, current }) => {
      const logins = new Map(saved);
      logins.delete(name);
      return { logins, ...(current === undefined || current === name ? {} : { current }) };
    });
    call.terminal.print(`logged out of ${login.url} (context ${name})\n`);
  }
  return undefined;
};

function selectedLogins(config: Config, { values }: CommandCall): readonly (readonly [string, Login])[] {
  if (values.flag('all')) return [...config.logins];
  const name = values.text('context') ?? config.current;
  const login = name === undefined ? undefined : config.logins.get(name);
  if (name !== undefined && login !== undefined) return [[name, login]];
  throw new CliError(name === undefined ? 'not logged in' : `login ${JSON.stringify(name)} not found`, {
    exitCode: exitCodes.notFound,
  });
}

/** Ends a password login on the server. An error is only reported, because the saved login is removed in any case. */
async function endOnServer(name: string, login: Login, call: CommandCall): Promise<void> {
  const access = { ...login, authority: login.authority, project: '', context: name };
  try {
    await withServerConnection(access, call, (api) =>
      api.json({ method: 'POST', path: '/auth/logout', signal: call.interrupted }),
    );
  } catch (error) {
    if (error instanceof StatusError && error.code === 403) {
      call.terminal.printToStderr('the access key stays valid; delete it with: flotilla access-key delete\n');
    } else if (error instanceof CliError)
      call.terminal.printToStderr(`${error.message}; the saved login is removed anyway\n`);
    else if (!(error instanceof StatusError)) throw error;
  }
}
