import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import { errorCode, openToOthers, writePrivateFile } from '../../lib/private-file.ts';
import { CliError } from '../cli-error.ts';

/** A login: one server, and who one is there. */
export interface Login {
  /** Without a path: `https://127.0.0.1:8443`. */
  readonly url: string;
  readonly apiPrefix: string;
  readonly accessKey: string;
  /** PEM; absent: the server is trusted by the operating system's authorities. */
  readonly authority?: string;
  readonly project?: string;
  /** Whom the server took the key for; shown, never sent. */
  readonly user?: string;
}

export interface Config {
  readonly current?: string;
  readonly logins: ReadonlyMap<string, Login>;
}

export async function readConfig(path: string): Promise<Config> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { logins: new Map() };
    throw new CliError(`${path} cannot be read (${errorCode(error) ?? 'unknown error'})`, { cause: error });
  }
  await refuseIfOpen(path);
  const value = parse(text, path);
  const contexts = isJsonObject(value.contexts) ? value.contexts : {};
  const logins = new Map<string, Login>();
  for (const [name, entry] of Object.entries(contexts)) {
    const login = loginIn(entry);
    if (login === undefined) throw new CliError(`${path}: the context ${name} has no url or no accessKey`);
    logins.set(name, login);
  }
  const current = value.current;
  return { logins, ...(typeof current === 'string' ? { current } : {}) };
}

/** Whole or not at all, for its owner alone. */
export async function writeConfig(path: string, config: Config): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const document = {
    ...(config.current === undefined ? {} : { current: config.current }),
    contexts: Object.fromEntries(config.logins),
  };
  await writePrivateFile(path, `${JSON.stringify(document, undefined, 2)}\n`);
}

/** A key that others on this machine can read is not secret; who loosened the file learns of it here. */
async function refuseIfOpen(path: string): Promise<void> {
  if (process.platform === 'win32' || (await openToOthers(path)) === 0) return;
  throw new CliError(`${path} holds access keys and can be read by others`, { next: `run: chmod 600 ${path}` });
}

function parse(text: string, path: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CliError(`${path} is not JSON`, { next: 'mend it, or remove it and log in again', cause: error });
  }
  if (isJsonObject(value)) return value;
  throw new CliError(`${path} is not a configuration`, { next: 'mend it, or remove it and log in again' });
}

function loginIn(entry: JsonValue): Login | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { url, accessKey, apiPrefix } = entry;
  if (typeof url !== 'string' || typeof accessKey !== 'string') return undefined;
  const text = (member: 'authority' | 'project' | 'user') => {
    const value = entry[member];
    return typeof value === 'string' ? { [member]: value } : {};
  };
  return {
    url,
    accessKey,
    apiPrefix: typeof apiPrefix === 'string' ? apiPrefix : 'kubernetes',
    ...text('authority'),
    ...text('project'),
    ...text('user'),
  };
}
