import { execFileSync } from 'node:child_process';

/**
 * Returns the directory of a published Go module in the module cache. Downloads the module if it is not there, so only
 * the first call needs the network. Throws if Go is not installed or the module cannot be downloaded.
 */
export function moduleDirectory(module, version) {
  const found = execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], { encoding: 'utf8' });
  return JSON.parse(found).Dir;
}
