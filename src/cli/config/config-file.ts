import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { errorCode, nonOwnerPermissions, writePrivateFile } from '../../lib/private-file.ts';
import { CliError } from '../cli-error.ts';
import type { LoginRenewal } from '../connection/granted-login/login-renewal.ts';
import type { WorkloadLogin } from '../connection/workload/workload-login.ts';

/** A saved login: a server and the credential for it. */
export interface Login {
  /** The URL of the server without a path, for example `https://127.0.0.1:8443`. */
  readonly url: string;
  readonly apiPrefix: string;
  readonly accessKey: string;
  /** The CA of the server in PEM format. Optional; defaults to the CAs of the operating system. */
  readonly authority?: string;
  readonly project?: string;
  /** The user that the access key belongs to. It is saved at login and used only for display. */
  readonly user?: string;
  /** The API word of the server. It is saved at login. Optional; defaults to `platform`. */
  readonly apiWord?: string;
  /** The time at which the login ends, in RFC 3339 format. Absent if it is unknown. */
  readonly expires?: string;
  /** Present if a person logged in through the console, and the server renews the login. */
  readonly renewal?: LoginRenewal;
  /**
   * The fingerprint (`fingerprintOf`) of the access key before the last renewal. A command that still has the old key
   * compares fingerprints to detect the renewal.
   */
  readonly renewedFrom?: string;
  /** Present if a workload logged in with a token of its platform. */
  readonly workload?: WorkloadLogin;
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
    throw new CliError(`cannot read ${path} (${errorCode(error) ?? 'unknown error'})`, { cause: error });
  }
  await rejectIfReadableByOthers(path);
  const value = parse(text, path);
  const contexts = isJsonObject(value.contexts) ? value.contexts : {};
  const logins = new Map<string, Login>();
  for (const [name, entry] of Object.entries(contexts)) {
    const login = loginIn(entry);
    if (login === undefined) throw new CliError(`${path}: context "${name}" has no url or no accessKey`);
    logins.set(name, login);
  }
  const current = value.current;
  return { logins, ...(typeof current === 'string' ? { current } : {}) };
}

/** Writes the config file atomically. Only its owner can read it. */
export async function writeConfig(path: string, config: Config): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const document = {
    ...(config.current === undefined ? {} : { current: config.current }),
    contexts: Object.fromEntries(config.logins),
  };
  await writePrivateFile(path, `${JSON.stringify(document, undefined, 2)}\n`);
}

/** Rejects a config file that other users of this machine can read, because it contains access keys. */
async function rejectIfReadableByOthers(path: string): Promise<void> {
  if (process.platform === 'win32' || (await nonOwnerPermissions(path)) === 0) return;
  throw new CliError(`${path} contains access keys and is readable by other users`, { next: `run: chmod 600 ${path}` });
}

function parse(text: string, path: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CliError(`${path} is not valid JSON`, { next: 'fix it, or remove it and log in again', cause: error });
  }
  if (isJsonObject(value)) return value;
  throw new CliError(`${path} is not a Flotilla config file`, { next: 'fix it, or remove it and log in again' });
}

function loginIn(entry: JsonValue): Login | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { url, accessKey, apiPrefix } = entry;
  if (typeof url !== 'string' || typeof accessKey !== 'string') return undefined;
  const text = (member: 'authority' | 'project' | 'user' | 'apiWord' | 'expires' | 'renewedFrom') => {
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
    ...text('apiWord'),
    ...text('expires'),
    ...text('renewedFrom'),
    ...renewalIn(entry.renewal),
    ...workloadIn(entry.workload),
  };
}

function renewalIn(value: JsonValue | undefined): Pick<Login, 'renewal'> {
  if (!isJsonObject(value) || typeof value.after !== 'string') return {};
  const { after, nextKey } = value;
  return { renewal: { after, ...(typeof nextKey === 'string' ? { nextKey } : {}) } };
}

function workloadIn(value: JsonValue | undefined): Pick<Login, 'workload'> {
  if (!isJsonObject(value)) return {};
  const { tokenFile, audience, renewAfter } = value;
  if (typeof audience !== 'string' || typeof renewAfter !== 'string') return {};
  return { workload: { audience, renewAfter, ...(typeof tokenFile === 'string' ? { tokenFile } : {}) } };
}
