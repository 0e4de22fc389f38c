import { cp, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The only package that the build does not bundle, because it is native code. */
const nativePackage = 'classic-level';

/**
 * Copies the built program into a directory: the bundled modules and the console without source maps, the license, and a
 * package.json without development scripts and with additional `fields`. Returns the contents of the project's package.json.
 */
export async function stageProgram(directory, fields = {}) {
  const description = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await writeFile(
    join(directory, 'package.json'),
    `${JSON.stringify({ ...published(description), ...fields }, undefined, 2)}\n`,
  );
  for (const name of ['LICENSE', 'README.md', 'SECURITY.md', 'CHANGELOG.md', 'bin']) {
    await cp(join(root, name), join(directory, name), { recursive: true });
  }
  await cp(join(root, 'dist'), join(directory, 'dist'), { recursive: true, filter: isPublished });
  return description;
}

/**
 * Copies the native package and the packages that it requires, with binaries for `platform` only, for artifacts that are
 * not installed with npm. Returns their names and versions.
 */
export async function stageNativePackage(directory, platform) {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const names = new Set([nativePackage]);
  for (const name of names) {
    for (const required of Object.keys(packages[`node_modules/${name}`].dependencies ?? {})) names.add(required);
  }
  for (const name of names) {
    await cp(join(root, 'node_modules', name), join(directory, 'node_modules', name), {
      recursive: true,
      filter: (path) => isNeededOn(platform, path),
    });
  }
  return [...names].map((name) => ({ name, version: packages[`node_modules/${name}`].version }));
}

function published({ name, version, description, license, type, engines, bin, dependencies }) {
  const external = { [nativePackage]: dependencies[nativePackage] };
  return { name, version, description, license, type, engines, bin, dependencies: external };
}

/** False for source maps, the single file and its code caches, which are valid for one version of Node only. */
function isPublished(path) {
  return !path.endsWith('.map') && !basename(path).startsWith('whole-') && basename(path) !== '.vite';
}

/** False for the sources of the native code, and for binaries of other platforms. */
function isNeededOn(platform, path) {
  const [, , prebuilt] = /\/(prebuilds)\/([^/]+)/.exec(path) ?? [];
  if (prebuilt !== undefined) return prebuilt === platform;
  return !/\/classic-level\/(deps|binding\.cc|binding\.gyp)/.test(path);
}
