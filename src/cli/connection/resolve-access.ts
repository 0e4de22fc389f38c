import { readFile } from 'node:fs/promises';
import { defaultProject } from '../../api/naming.ts';
import { errorCode } from '../../lib/private-file.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import { type Config, type Login, readConfig } from '../config/config-file.ts';
import { configPath } from '../config/config-path.ts';
import type { Environment } from '../environment.ts';
import { parseServerAddress, type ServerAddress, sameServer } from './server-address.ts';

/** The server, the access key and the project that a command uses. */
export interface ServerAccess extends ServerAddress {
  readonly accessKey: string;
  /** The CA in PEM format; `undefined` to trust the CAs of the operating system. */
  readonly authority: string | undefined;
  readonly project: string;
  /** The name of the login that the access key comes from; `undefined` if it comes from the environment. */
  readonly context: string | undefined;
}

type AccessCall = Pick<CommandCall, 'environment' | 'values'>;

/**
 * Determines the server and the access key of a command. Environment variables override the saved login. A saved key is
 * sent only to the server of its login: if `FLOTILLA_URL` names another server, FLOTILLA_ACCESS_KEY is required.
 */
export async function resolveAccess(call: AccessCall): Promise<ServerAccess> {
  const access = await findAccess(call);
  if (access !== undefined) return access;
  throw new CliError('not logged in', {
    exitCode: exitCodes.refused,
    next: 'run: flotilla login URL, or set FLOTILLA_URL and FLOTILLA_ACCESS_KEY',
  });
}

/** Returns the same as `resolveAccess`; `undefined` if there is neither a login nor a server in the environment. */
export async function findAccess({ environment, values }: AccessCall): Promise<ServerAccess | undefined> {
  const given = (name: string): string | undefined => environment[name] || undefined;
  const config = await readConfig(configPath(environment));
  const named = values.text('context') ?? given('FLOTILLA_CONTEXT');
  const stored = storedLogin(config, named);
  // `--context` overrides the environment variables.
  const useEnvironment = values.text('context') === undefined;
  const urlGiven = useEnvironment ? given('FLOTILLA_URL') : undefined;
  const keyGiven = useEnvironment ? given('FLOTILLA_ACCESS_KEY') : undefined;
  const address = urlGiven === undefined ? stored?.login : parseServerAddress(urlGiven);
  if (address === undefined) {
    if (keyGiven === undefined) return undefined;
    throw new CliError('FLOTILLA_ACCESS_KEY is set but FLOTILLA_URL is not', { exitCode: exitCodes.refused });
  }
  const login = stored !== undefined && sameServer(stored.login, address) ? stored : undefined;
  const accessKey = keyGiven ?? login?.login.accessKey;
  if (accessKey === undefined) {
    throw new CliError(`no access key for ${address.url}`, {
      exitCode: exitCodes.refused,
      next: `run: flotilla login ${address.url}, or set FLOTILLA_ACCESS_KEY`,
    });
  }
  const authority = useEnvironment ? await authorityOf(environment) : undefined;
  return {
    url: address.url,
    apiPrefix: address.apiPrefix,
    accessKey: accessKey.trim(),
    authority: authority ?? login?.login.authority,
    project: values.text('project') ?? given('FLOTILLA_PROJECT') ?? login?.login.project ?? defaultProject,
    context: keyGiven === undefined ? login?.name : undefined,
  };
}

function storedLogin(config: Config, named: string | undefined): { name: string; login: Login } | undefined {
  const name = named ?? config.current;
  const login = name === undefined ? undefined : config.logins.get(name);
  if (name !== undefined && login !== undefined) return { name, login };
  // If the current login no longer exists, the user is not logged in. A login that the user names must exist.
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
