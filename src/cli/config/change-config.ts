import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withFileLock } from '../file-lock.ts';
import { type Config, type Login, readConfig, writeConfig } from './config-file.ts';

/**
 * The maximum wait for the lock, in milliseconds. The renewal of a login holds the lock and waits for the server, but
 * takes less time than this maximum.
 */
const waitMilliseconds = 40_000;

/**
 * Calls `work` with the lock on the config file, so that no other command changes the file. `work` must not call
 * `changeConfig`.
 */
export async function withConfigLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return await withFileLock(`${path}.lock`, { waitMilliseconds }, work);
}

/** Replaces the config in the file with the result of `change`. `change` gets the current config. */
export async function changeConfig(path: string, change: (config: Config) => Config): Promise<void> {
  await withConfigLock(path, async () => await writeConfig(path, change(await readConfig(path))));
}

/** Returns the config with `login` as the login of this name. */
export function withLogin(config: Config, name: string, login: Login): Config {
  return { ...config, logins: new Map([...config.logins, [name, login]]) };
}
