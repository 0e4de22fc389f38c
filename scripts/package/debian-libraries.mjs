import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { debianAptFlags, debianRelease } from './debian-sources.mjs';

const run = promisify(execFile);

/**
 * The Debian packages in the image: the C and C++ libraries that Node is linked with, and the public CAs, which helm
 * needs.
 */
const packages = ['ca-certificates', 'libc6', 'libgcc-s1', 'libstdc++6'];

/**
 * Extracts the libraries of Node for an architecture (`amd64` or `arm64`) from Debian packages into `directory`. `work` is
 * an empty directory for apt. `mirror` is the address of a Debian mirror. Returns the entries of the packages in the list of
 * components.
 */
export async function extractDebianLibraries(architecture, { directory, work, mirror }) {
  for (const name of ['lists/partial', 'cache/archives/partial', 'files'])
    await mkdir(join(work, name), { recursive: true });
  const flags = await debianAptFlags(architecture, work, mirror);
  await run('apt-get', ['-qq', ...flags, 'update']);
  const files = join(work, 'files');
  await run('apt-get', ['-qq', ...flags, 'download', ...packages], { cwd: files });
  const components = [];
  for (const file of (await readdir(files)).sort()) {
    await run('dpkg-deb', ['--extract', join(files, file), directory]);
    components.push(componentOf(file));
  }
  await writeCertificates(directory);
  return components;
}

/** Returns the entry of a package for the list of components, from its file name: `NAME_VERSION_ARCHITECTURE.deb`. */
export function componentOf(file) {
  const [name, encoded, architecture] = file.replace(/\.deb$/, '').split('_');
  const version = decodeURIComponent(encoded);
  const qualifiers = `arch=${architecture}&distro=${debianRelease}`;
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?${qualifiers}`;
  return { type: 'library', name, version, purl };
}

/** Writes the file with all public CAs. Debian creates this file only when the package is installed. */
async function writeCertificates(directory) {
  const folder = join(directory, 'usr/share/ca-certificates/mozilla');
  const names = (await readdir(folder)).sort();
  const certificates = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  await mkdir(join(directory, 'etc/ssl/certs'), { recursive: true });
  await writeFile(join(directory, 'etc/ssl/certs/ca-certificates.crt'), certificates.join(''));
}
