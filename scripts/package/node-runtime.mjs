import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './stage-program.mjs';

const run = promisify(execFile);
const runtimes = JSON.parse(await readFile(new URL('runtime.json', import.meta.url), 'utf8'));

/**
 * Returns the Node program for a platform such as `linux-x64`, its license, and its entry for the list of components.
 * Node comes from the npm registry; runtime.json contains its version and checksum.
 */
export async function nodeRuntime(platform) {
  const { package: name, version } = runtimes[platform];
  const folder = await downloadedPackage(runtimes[platform]);
  const program = join(folder, 'bin', platform.startsWith('win32') ? 'node.exe' : 'node');
  const component = { type: 'application', name: 'node', version, purl: `pkg:npm/${name}@${version}` };
  // The Node package for Windows contains no license, so the license of another package of the same release is used.
  const license = join(folder, 'LICENSE');
  return { program, component, license: existsSync(license) ? license : (await nodeRuntime('linux-x64')).license };
}

/** Downloads a package of the npm registry, unless it was downloaded before. Returns the folder with its contents. */
export async function downloadedPackage({ package: name, version, integrity }) {
  const cache = join(root, '.cache', 'package');
  const folder = join(cache, `${name}-${version}`);
  if (!existsSync(folder)) await download(`${name}@${version}`, { integrity, cache, folder });
  return folder;
}

async function download(spec, { integrity, cache, folder }) {
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'download-'));
  try {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', work, spec]);
    const file = join(work, JSON.parse(stdout)[0].filename);
    const digest = createHash('sha512').update(await readFile(file));
    const found = `sha512-${digest.digest('base64')}`;
    if (found !== integrity) throw new Error(`${spec} has the wrong checksum: ${found}`);
    await run('tar', ['xzf', file, '-C', work]);
    await rename(join(work, 'package'), folder);
  } finally {
    await rm(work, { recursive: true });
  }
}
