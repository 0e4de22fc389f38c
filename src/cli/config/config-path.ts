import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../environment.ts';

/** Returns the path of the config file: FLOTILLA_CONFIG, or the standard location of the operating system. */
export function configPath(environment: Environment, platform: string = process.platform): string {
  const named = environment.FLOTILLA_CONFIG;
  if (named !== undefined && named !== '') return named;
  return join(folder(environment, platform), 'flotilla', 'config.json');
}

export function cacheFolder(environment: Environment, platform: string = process.platform): string {
  const home = environment.HOME ?? homedir();
  if (platform === 'win32') return join(environment.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'flotilla');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'flotilla');
  return join(environment.XDG_CACHE_HOME || join(home, '.cache'), 'flotilla');
}

function folder(environment: Environment, platform: string): string {
  const home = environment.HOME ?? homedir();
  if (platform === 'win32') return environment.APPDATA ?? join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return environment.XDG_CONFIG_HOME || join(home, '.config');
}
