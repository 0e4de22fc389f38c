import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withFileLock } from '../file-lock.ts';
import { type Config, type Login, readConfig, writeConfig } from './config-file.ts';

/** Longer than the renewal of a login, which holds the lock while it waits for the server. */
const waitMilliseconds = 40_000;

/** Calls `work` while no other command changes the config file. `work` must not call `changeConfig`. */
export async function withConfigLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return await withFileLock(`${path}.lock`, { waitMilliseconds }, work);
}

/** Replaces the config with the result of `change`, which gets the current one. */
export async function changeConfig(path: string, change: (config: Config) => Config): Promise<void> {
  await withConfigLock(path, async () => await writeConfig(path, change(await readConfig(path))));
}

/** Returns the config with another login of this name. */
export function withLogin(config: Config, name: string, login: Login): Config {
  return { ...config, logins: new Map([...config.logins, [name, login]]) };
}
