import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The release of Debian whose packages are in the image. It does not depend on the machine that builds the image. */
export const debianRelease = 'bookworm';

const publicMirror = 'http://deb.debian.org/debian';
/** The keyring that verifies Debian packages. It is part of Debian; on Ubuntu a package provides it. */
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Returns the flags with which apt reads only the package lists of Debian, for one architecture. apt keeps all its
 * state in `directory`, so the packages of this machine stay unchanged. The machine's other settings, such as its
 * proxy, still apply. `mirror` is the address of a mirror; it defaults to this machine's mirror if the machine runs
 * Debian.
 */
export async function debianAptFlags(architecture, directory, mirror) {
  if (!existsSync(keyring))
    throw new Error(`${keyring} does not exist; install the package debian-archive-keyring, which Ubuntu also has`);
  const file = join(directory, 'sources.list');
  await writeFile(file, sourcesList(mirror === undefined ? await defaultMirrors() : mirrorsAt(mirror)));
  return [
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    `Dir::Etc::sourcelist=${file}`,
    'Dir::Etc::sourceparts=/dev/null',
    'Dir::Etc::preferences=/dev/null',
    'Dir::Etc::preferencesparts=/dev/null',
    `Dir::State::lists=${join(directory, 'lists')}`,
    'Dir::State::status=/dev/null',
    `Dir::Cache=${join(directory, 'cache')}`,
    'APT::Sandbox::User=root',
    // Fail if a package list cannot be downloaded. By default, apt only prints a warning.
    'APT::Update::Error-Mode=any',
  ].flatMap((option) => ['-o', option]);
}

/** Sources in the one-line format. Every repository must be signed with the keys of Debian. */
export function sourcesList({ packages, updates }) {
  const line = (address, suite) => `deb [signed-by=${keyring}] ${address} ${suite} main\n`;
  return line(packages, debianRelease) + line(updates, `${debianRelease}-security`);
}

/** Returns the addresses of the packages and of the security updates, which are next to each other on a mirror. */
export function mirrorsAt(mirror) {
  const packages = mirror.replace(/\/+$/, '');
  return { packages, updates: `${packages}-security` };
}

/**
 * Finds the mirrors of a machine that runs Debian.
 * @param {string} codename the release of this machine
 * @param {string} targets its package lists: the address, the suite and the component, a line each
 */
export function mirrorsOfMachine(codename, targets) {
  const repositories = targets.split('\n').map((line) => line.split(' '));
  // Accept only addresses of Debian, because repositories of other vendors also use the code names of Debian releases.
  const addressOf = (wanted) =>
    repositories
      .find(([address, suite, part]) => suite === wanted && part === 'main' && /\bdebian\b/.test(address))?.[0]
      ?.replace(/\/+$/, '');
  const packages = addressOf(codename);
  if (packages === undefined) return mirrorsAt(publicMirror);
  return { packages, updates: addressOf(`${codename}-security`) ?? mirrorsAt(packages).updates };
}

async function defaultMirrors() {
  const system = await readFile('/etc/os-release', 'utf8');
  const property = (name) => new RegExp(`^${name}="?([^"\n]*)`, 'm').exec(system)?.[1];
  if (property('ID') !== 'debian') return mirrorsAt(publicMirror);
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)';
  const { stdout } = await promisify(execFile)('apt-get', ['indextargets', '--format', format, 'Created-By: Packages']);
  return mirrorsOfMachine(property('VERSION_CODENAME'), stdout);
}
