import { spawn } from 'node:child_process';
import type { Environment } from '../../environment.ts';

/**
 * Opens a page in the user's browser. Returns false if no browser can be started. The URL is an argument of the program
 * and never part of a shell command.
 */
export async function openBrowser(url: string, environment: Environment): Promise<boolean> {
  const command = browserCommand(environment, process.platform);
  if (command === undefined) return false;
  const [program, ...args] = command;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  return await new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      // The browser stays open when this program ends.
      child.unref();
      resolve(true);
    });
  });
}

/** Returns the command that opens a URL, which is its last argument; `undefined` if there is no display for a browser. */
export function browserCommand(
  environment: Environment,
  platform: NodeJS.Platform,
): readonly [string, ...string[]] | undefined {
  const { BROWSER: chosen = '', DISPLAY: display = '', WAYLAND_DISPLAY: wayland = '' } = environment;
  if (chosen !== '') return [chosen];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return display === '' && wayland === '' ? undefined : ['xdg-open'];
}
