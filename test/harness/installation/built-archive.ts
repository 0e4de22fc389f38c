import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import description from '../../../package.json' with { type: 'json' };

const root = new URL('../../..', import.meta.url).pathname;
const thisArchitecture = process.arch === 'x64' ? 'amd64' : process.arch;

/** Returns the name of the archive for Linux on an architecture, without the file extension. */
export function archiveNameOf(architecture: string): string {
  return `${description.name}_${description.version}_linux_${architecture}`;
}

/** The name of the archive for this machine, without the file extension. */
export const archiveName = archiveNameOf(thisArchitecture);

/** Builds the archive for an architecture and its checksums into a new folder. Returns the folder. */
export async function buildArchive(architecture: string = thisArchitecture): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-release-'));
  const flags = ['--out', folder, '--platform', `linux/${architecture}`];
  await promisify(execFile)(process.execPath, ['scripts/package/archives.mjs', ...flags], { cwd: root });
  return folder;
}

let shared: Promise<string> | undefined;

/** Returns a folder with the archive for this machine, which is built once per test process. */
export function builtArchive(): Promise<string> {
  shared ??= buildArchive().then((folder) => {
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  });
  return shared;
}

/** Returns the address of a folder with the files of a release, laid out as on GitHub: `v0.1.0/SHA256SUMS`. */
export async function releasesUrl(): Promise<string> {
  const built = await builtArchive();
  const folder = join(built, 'releases', `v${description.version}`);
  mkdirSync(folder, { recursive: true });
  for (const name of ['SHA256SUMS', `${archiveName}.tar.gz`]) copyFileSync(join(built, name), join(folder, name));
  return pathToFileURL(join(built, 'releases')).href;
}
