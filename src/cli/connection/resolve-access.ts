import { readFile } from 'node:fs/promises';
import { defaultProject } from '../../api/naming.ts';
import { errorCode } from '../../lib/private-file.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { CommandCall, Environment } from '../command-call.ts';
import { type Config, type Login, readConfig } from '../config/config-file.ts';
import { configPath } from '../config/config-path.ts';
import { parseServerAddress, type ServerAddress, sameServer } from './server-address.ts';

/** Which server, as whom, and in which project. */
export interface Access extends ServerAddress {
  readonly accessKey: string;
  /** PEM; undefined: the operating system's authorities. */
  readonly authority: string | undefined;
  readonly project: string;
  /** The login that it comes from; undefined: the environment. */
  readonly context: string | undefined;
}

type Given = Pick<CommandCall, 'environment' | 'values'>;

/**
 * Environment variables win over what was stored by a login. A stored key goes to the server that it was stored for and
 * to no other: with `FLOTILLA_URL` of another server there has to be a key in the environment too.
 */
export async function resolveAccess(call: Given): Promise<Access> {
  const access = await findAccess(call);
  if (access !== undefined) return access;
  throw new CliError('there is no login', {
    exitCode: exitCodes.refused,
    next: 'run: flotilla login URL, or set FLOTILLA_URL and FLOTILLA_ACCESS_KEY',
  });
}

/** As above; undefined where there is neither a login nor an environment. */
export async function findAccess({ environment, values }: Given): Promise<Access | undefined> {
  const given = (name: string): string | undefined => environment[name] || undefined;
  const config = await readConfig(configPath(environment));
  const named = values.text('context') ?? given('FLOTILLA_CONTEXT');
  const stored = storedLogin(config, named);
  // Who names a login on the command line means that one, whatever the environment says.
  const useEnvironment = values.text('context') === undefined;
  const urlGiven = useEnvironment ? given('FLOTILLA_URL') : undefined;
  const keyGiven = useEnvironment ? given('FLOTILLA_ACCESS_KEY') : undefined;
  const address = urlGiven === undefined ? stored?.login : parseServerAddress(urlGiven);
  if (address === undefined) {
    if (keyGiven === undefined) return undefined;
    throw new CliError('FLOTILLA_ACCESS_KEY is set and FLOTILLA_URL is not', { exitCode: exitCodes.refused });
  }
  const login = stored !== undefined && sameServer(stored.login, address) ? stored : undefined;
  const accessKey = keyGiven ?? login?.login.accessKey;
  if (accessKey === undefined) {
    throw new CliError(`there is no access key for ${address.url}`, {
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
  // A current login that is gone is none; one that somebody names has to be there.
  if (named === undefined) return undefined;
  const next = 'flotilla context list shows those that are there';
  throw new CliError(`there is no login ${JSON.stringify(named)}`, { exitCode: exitCodes.notFound, next });
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
    throw new CliError(`the CA file ${file} ${why}`, { cause: error });
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new CliError(`the CA file ${file} holds no certificate in PEM form`);
}
