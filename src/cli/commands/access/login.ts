import { resolve } from 'node:path';
import { defaultApiWord } from '../../../api/api-word.ts';
import { CliError, exitCodes, usageError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { changeConfig, withLogin } from '../../config/change-config.ts';
import { type Login, readConfig } from '../../config/config-file.ts';
import { configPath } from '../../config/config-path.ts';
import { chooseAuthority } from '../../connection/choose-authority.ts';
import { fetchApiWord } from '../../connection/fetch-api-word.ts';
import { fetchSelf } from '../../connection/fetch-self.ts';
import { logInWithBrowser } from '../../connection/granted-login/browser-login.ts';
import { logInWithCode } from '../../connection/granted-login/device-login.ts';
import { type GrantedLogin, offersGrantedLogin } from '../../connection/granted-login/granted-login.ts';
import { logInWithPassword } from '../../connection/password-login.ts';
import { parseServerAddress, type ServerAddress, sameServer } from '../../connection/server-address.ts';
import { withServerConnection } from '../../connection/server-api.ts';
import { logInAsWorkload } from '../../connection/workload/workload-login.ts';
import { promptSecret } from '../../input/prompt-user.ts';
import { readSecretFromStdin } from '../../input/read-stdin.ts';

export const run: CommandRun = async (call) => {
  const { values, environment, terminal } = call;
  const path = configPath(environment);
  const before = await readConfig(path);
  const address = addressFor(call, before.current === undefined ? undefined : before.logins.get(before.current));
  const name = values.text('name') ?? new URL(address.url).host;
  const saved = [...before.logins.values()].find((login) => sameServer(login, address));
  const authority = await chooseAuthority(address, saved?.authority, call);
  const asWorkload = await workloadLogin(address, authority, call);
  const granted: GrantedLogin = asWorkload ?? (await logIn(address, authority, call));
  const { accessKey, expires, renewal } = granted;
  const project = values.text('project');
  const access = { ...address, authority, accessKey, project: project ?? '', context: undefined };
  const { self, apiWord } = await withServerConnection(access, call, async (api) => {
    const word = await fetchApiWord(api, call.interrupted);
    return { apiWord: word, self: await fetchSelf(api, call.interrupted, word) };
  });
  const user = self?.status?.user?.name || (self?.status?.team?.name ?? '');
  const login: Login = {
    ...address,
    accessKey,
    ...(authority === undefined ? {} : { authority }),
    ...(project === undefined ? {} : { project }),
    ...(user === '' ? {} : { user }),
    ...(apiWord === defaultApiWord ? {} : { apiWord }),
    ...(expires === undefined ? {} : { expires }),
    ...(renewal === undefined ? {} : { renewal }),
    ...(asWorkload === undefined ? {} : { workload: asWorkload.workload }),
  };
  await changeConfig(path, (config) => ({ ...withLogin(config, name, login), current: name }));
  terminal.print(`logged in to ${address.url}${user === '' ? '' : ` as ${user}`} (context ${name})\n`);
  return undefined;
};

function addressFor({ values, environment }: CommandCall, current: Login | undefined): ServerAddress {
  const given = values.optionalArgument('url') ?? (environment.FLOTILLA_URL || undefined);
  if (given !== undefined) return parseServerAddress(given);
  if (current !== undefined) return { url: current.url, apiPrefix: current.apiPrefix };
  throw usageError('the URL of the server is required: flotilla login https://host:8443');
}

/**
 * Logs in with the token of the platform that runs this command. Returns `undefined` if the user did not request this
 * type of login.
 */
async function workloadLogin(address: ServerAddress, authority: string | undefined, call: CommandCall) {
  const { values, environment } = call;
  const [tokenFile, audience] = [values.text('token-file'), values.text('audience')];
  if (!values.flag('workload-identity')) {
    if (tokenFile !== undefined) throw usageError('--token-file requires --workload-identity');
    if (audience !== undefined) throw usageError('--audience requires --workload-identity');
    return undefined;
  }
  const other = ['access-key', 'access-key-stdin', 'username', 'no-browser'].find(
    (name) => values.flag(name) || values.text(name) !== undefined,
  );
  if (other !== undefined) throw usageError(`--workload-identity and --${other} cannot be combined`);
  const source = {
    audience: audience ?? address.url,
    // Save the absolute path, because later commands may run in another directory.
    ...(tokenFile === undefined ? {} : { tokenFile: resolve(tokenFile) }),
  };
  return await logInAsWorkload({ url: address.url, authority }, source, environment);
}

async function logIn(address: ServerAddress, authority: string | undefined, call: CommandCall): Promise<GrantedLogin> {
  const { values, environment, terminal } = call;
  const methods = ['access-key', 'access-key-stdin', 'username', 'no-browser'].filter(
    (name) => values.flag(name) || values.text(name) !== undefined,
  );
  if (methods.length > 1) throw usageError(`--${methods.join(' and --')} cannot be combined`);
  const username = values.text('username');
  if (username !== undefined) return { accessKey: await logInWithPassword(address, authority, username, call) };
  if (values.flag('password-stdin')) throw usageError('--password-stdin requires --username');
  const given =
    values.text('access-key') ?? (methods.length === 0 ? environment.FLOTILLA_ACCESS_KEY || undefined : undefined);
  if (given !== undefined) return { accessKey: given.trim() };
  if (values.flag('access-key-stdin') && !terminal.canPrompt)
    return { accessKey: await readSecretFromStdin('access key') };
  const usesConsole = values.flag('no-browser') || (terminal.canPrompt && !values.flag('access-key-stdin'));
  const granted = usesConsole ? await logInThroughConsole(address, authority, call) : undefined;
  if (granted !== undefined) return granted;
  if (terminal.canPrompt) {
    const typed = (await promptSecret(`Access key for ${address.url}: `, call)).trim();
    if (typed !== '') return { accessKey: typed };
  }
  throw new CliError('an access key is required', {
    exitCode: exitCodes.usage,
    next: 'pass --access-key-stdin or --username, or set FLOTILLA_ACCESS_KEY',
  });
}

/** Logs in through the console. If the server has no console, prints the reason and returns `undefined`. */
async function logInThroughConsole(
  address: ServerAddress,
  authority: string | undefined,
  call: CommandCall,
): Promise<GrantedLogin | undefined> {
  const access = { ...address, authority, accessKey: '', project: '', context: undefined };
  return await withServerConnection(access, call, async (api) => {
    if (await offersGrantedLogin(api, call.interrupted))
      return await (call.values.flag('no-browser') ? logInWithCode(api, call) : logInWithBrowser(api, call));
    call.terminal.printToStderr(
      `The console of ${address.url} is disabled, or older than this client, so a login in the browser is not possible.\n`,
    );
    return undefined;
  });
}
