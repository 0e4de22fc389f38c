import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Config, type Login, readConfig, writeConfig } from './config-file.ts';
import { cacheFolder, configPath } from './config-path.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'config-'));
});
afterEach(() => rm(folder, { recursive: true }));

const login = {
  url: 'https://a:8443',
  apiPrefix: 'kubernetes',
  accessKey: 'k',
  authority: 'c',
  project: 'p',
  user: 'u',
};

it('the config file is private to its owner and reads back as it was written', async () => {
  const path = join(folder, 'deep', 'config.json');
  const config: Config = {
    current: 'a',
    logins: new Map<string, Login>([
      ['a', login],
      ['__proto__', { url: 'https://b', apiPrefix: 'x', accessKey: 'y' }],
    ]),
  };
  await writeConfig(path, config);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'deep'))).mode & 0o777).toBe(0o700);
  expect(await readConfig(path)).toEqual(config);
  expect(await readConfig(join(folder, 'nothing'))).toEqual({ logins: new Map() });
});

it('a config file that other users can read, or that is malformed, is rejected', async () => {
  const path = join(folder, 'config.json');
  await writeConfig(path, { logins: new Map([['a', login]]) });
  await chmod(path, 0o644);
  await expect(readConfig(path)).rejects.toThrow(/is readable by other users; run: chmod 600/);
  for (const text of ['{', '[]', '{"contexts":{"a":{}}}']) {
    await writeFile(path, text);
    await chmod(path, 0o600);
    await expect(readConfig(path)).rejects.toMatchObject({ name: 'CliError' });
  }
});

it('the config file is in the standard location of each operating system', () => {
  const home = { HOME: '/home/anna' };
  expect(configPath(home, 'linux')).toBe('/home/anna/.config/flotilla/config.json');
  expect(configPath({ ...home, XDG_CONFIG_HOME: '/x' }, 'linux')).toBe('/x/flotilla/config.json');
  expect(configPath(home, 'darwin')).toBe('/home/anna/Library/Application Support/flotilla/config.json');
  expect(configPath({ ...home, APPDATA: '/roaming' }, 'win32')).toBe('/roaming/flotilla/config.json');
  expect(configPath({ ...home, FLOTILLA_CONFIG: '/own.json' }, 'linux')).toBe('/own.json');
  expect(cacheFolder(home, 'linux')).toBe('/home/anna/.cache/flotilla');
  expect(cacheFolder(home, 'darwin')).toBe('/home/anna/Library/Caches/flotilla');
});
