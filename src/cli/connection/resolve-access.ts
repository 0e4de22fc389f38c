import { readFile } from 'node:fs/promises';
import { defaultProject } from '../../api/naming.ts';
import { errorCode } from '../../lib/private-file.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import { withConfigLock } from '../config/change-config.ts';
import { type Config, type Login, readConfig } from '../config/config-file.ts';
import { configPath } from '../config/config-path.ts';
import type { Environment } from '../environment.ts';
import { fingerprintOf } from './granted-login/login-renewal.ts';
import { renewGrantedLogin } from './granted-login/renew-granted-login.ts';
import { parseServerAddress, type ServerAddress, sameServer } from './server-address.ts';
import { renewWorkloadLogin } from './workload/renew-workload-login.ts';

/** The server, the access key and the project that a command uses. */
export interface ServerAccess extends ServerAddress {
  readonly accessKey: string;
  /** The CA in PEM format; `undefined` to trust the CAs of the operating system. */
  readonly authority: string | undefined;
  readonly project: string;
  /**
   * The name of the saved login that contains the access key; `undefined` if the access key comes from the environment.
   */
  readonly context: string | undefined;
  /** True if commands renew the saved login, which replaces its access key. Optional; defaults to false. */
  readonly isRenewed?: boolean;
  /** The time at which the saved login ends, in RFC 3339 format. Absent if it is unknown. */
  readonly expires?: string;
}

type AccessCall = Pick<CommandCall, 'environment' | 'values'> & Partial<Pick<CommandCall, 'terminal'>>;

/**
 * Determines the server and the access key of a command. Environment variables override the saved login. The access key
 * of a saved login is sent only to the server of that login, so if `FLOTILLA_URL` names another server,
 * FLOTILLA_ACCESS_KEY is required.
 */
export async function resolveAccess(call: AccessCall): Promise<ServerAccess> {
  const access = await findAccess(call);
  if (access !== undefined) return access;
  throw new CliError('not logged in', {
    exitCode: exitCodes.refused,
    next: 'run: flotilla login URL, or set FLOTILLA_URL and FLOTILLA_ACCESS_KEY',
  });
}

/**
 * Determines the server, the access key and the project of a command, like `resolveAccess`. Returns `undefined` instead
 * of throwing if there is neither a login nor a server in the environment.
 */
export async function findAccess(call: AccessCall): Promise<ServerAccess | undefined> {
  const { environment, values } = call;
  const { address, login, keyGiven, authority } = await selectServer(call);
  if (address === undefined) {
    if (keyGiven === undefined) return undefined;
    throw new CliError('FLOTILLA_ACCESS_KEY is set but FLOTILLA_URL is not', { exitCode: exitCodes.refused });
  }
  const renewed = keyGiven !== undefined || login === undefined ? undefined : await renewedLogin(login, call);
  const accessKey = keyGiven ?? renewed?.accessKey;
  if (accessKey === undefined) {
    throw new CliError(`no access key for ${address.url}`, {
      exitCode: exitCodes.refused,
      next: `run: flotilla login ${address.url}, or set FLOTILLA_ACCESS_KEY`,
    });
  }
  return {
    url: address.url,
    apiPrefix: address.apiPrefix,
    accessKey: accessKey.trim(),
    authority: await authority(),
    project: values.text('project') ?? (environment.FLOTILLA_PROJECT || login?.login.project) ?? defaultProject,
    context: keyGiven === undefined ? login?.name : undefined,
    ...(renewed?.renewal === undefined ? {} : { isRenewed: true }),
    ...(renewed?.expires === undefined ? {} : { expires: renewed.expires }),
  };
}

/**
 * Returns the server of a command, without a credential. Used for requests that need no credential. `undefined` if
 * there is neither a login nor a server in the environment.
 */
export async function findServer(call: AccessCall): Promise<ServerAccess | undefined> {
  const { address, authority } = await selectServer(call);
  if (address === undefined) return undefined;
  const { url, apiPrefix } = address;
  return {
    url,
    apiPrefix,
    accessKey: '',
    authority: await authority(),
    project: defaultProject,
    context: undefined,
  };
}

/** Renews a saved login if its renewal is due. Returns the login to use. */
async function renewedLogin(
  { name, login }: { readonly name: string; readonly login: Login },
  { environment, terminal }: AccessCall,
): Promise<Login> {
  if (login.workload !== undefined) return await renewWorkloadLogin(name, login, environment);
  const warn = (text: string) => terminal?.printToStderr(`Warning: ${text}\n`);
  return await renewGrantedLogin(name, login, { environment, warn });
}

/**
 * Returns the new access key of a saved login that another command has renewed since this command started; `undefined`
 * if the access key does not come from a saved login, or the login was not renewed.
 */
export async function renewedKey(
  { context, accessKey }: ServerAccess,
  environment: Environment,
): Promise<string | undefined> {
  if (context === undefined) return undefined;
  const path = configPath(environment);
  // Wait for the lock. A command that renews the login holds the lock until it has saved the new access key.
  const reading = withConfigLock(path, async () => (await readConfig(path)).logins.get(context));
  // If the file cannot be read or locked, assume that no command has renewed the login.
  const login = await reading.catch(() => undefined);
  return login?.renewedFrom === fingerprintOf(accessKey) ? login.accessKey.trim() : undefined;
}

interface SelectedServer {
  readonly address: ServerAddress | undefined;
  /** The saved login for this server; `undefined` if there is none. */
  readonly login: { readonly name: string; readonly login: Login } | undefined;
  readonly keyGiven: string | undefined;
  /** Returns the CA of the server in PEM format. */
  authority(): Promise<string | undefined>;
}

async function selectServer({ environment, values }: AccessCall): Promise<SelectedServer> {
  const given = (name: string): string | undefined => environment[name] || undefined;
  const config = await readConfig(configPath(environment));
  const stored = storedLogin(config, values.text('context') ?? given('FLOTILLA_CONTEXT'));
  // `--context` overrides the environment variables.
  const useEnvironment = values.text('context') === undefined;
  const urlGiven = useEnvironment ? given('FLOTILLA_URL') : undefined;
  const address = urlGiven === undefined ? stored?.login : parseServerAddress(urlGiven);
  const isStored = stored !== undefined && address !== undefined && sameServer(stored.login, address);
  const login = isStored ? stored : undefined;
  return {
    address,
    login,
    keyGiven: useEnvironment ? given('FLOTILLA_ACCESS_KEY') : undefined,
    authority: async () => (useEnvironment ? await authorityOf(environment) : undefined) ?? login?.login.authority,
  };
}

function storedLogin(config: Config, named: string | undefined): { name: string; login: Login } | undefined {
  const name = named ?? config.current;
  const login = name === undefined ? undefined : config.logins.get(name);
  if (name !== undefined && login !== undefined) return { name, login };
  // The login does not exist. If the user has named no login, this only means that the user is not logged in. A login
  // that the user has named must exist.
  if (named === undefined) return undefined;
  const next = 'list saved logins with: flotilla context list';
  throw new CliError(`login ${JSON.stringify(named)} not found`, { exitCode: exitCodes.notFound, next });
}

export async function authorityOf(environment: Environment): Promise<string | undefined> {
  const file = environment.FLOTILLA_CA_FILE;
  return file === undefined || file === '' ? undefined : await readAuthority(file);
}

export async function readAuthority(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const why = errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${errorCode(error)})`;
    throw new CliError(`CA file ${file} ${why}`, { cause: error });
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new CliError(`CA file ${file} contains no certificate in PEM format`);
}
