import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The folders from which each part of the build is made. The console shares the API definitions and the client with the
 * program.
 */
export const sources = {
  program: ['src', 'packages', 'bin', 'scripts'],
  console: ['web', 'src/api', 'src/client', 'src/lib', 'packages', 'scripts'],
};

/** Files that every part depends on. Some of them change whenever other packages are installed. */
const common = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json', 'tsconfig.json'];

/**
 * Throws if a build has read a file that the fingerprint of the part does not cover. Otherwise a later change of that
 * file would not cause a new build. `inputs` are paths relative to the project folder.
 */
export function assertKnown(part, inputs) {
  const known = [...sources[part], 'node_modules', 'package.json'];
  const unknown = inputs.find((path) => !known.some((one) => path === one || path.startsWith(`${one}/`)));
  if (unknown !== undefined)
    throw new Error(`add ${unknown} to the sources of the ${part} in scripts/build-record.mjs`);
}

/** Returns whether a change of this file may change the result of the build. */
function isInput(path) {
  return !/\.test\.tsx?$|\.md$/.test(path) && !path.includes('/node_modules/');
}

async function filesBelow(root, path) {
  if (!existsSync(join(root, path))) return [];
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/**
 * Returns a hash of everything that a part of the build depends on: the contents of its folders, the installed packages, the
 * settings of TypeScript and the version of Node.
 */
export async function fingerprint(root, folders) {
  const files = (await Promise.all(folders.map((folder) => filesBelow(root, folder)))).flat().filter(isInput);
  const hash = createHash('sha256').update(`${process.version} ${process.arch}`);
  for (const file of [...files.sort(), ...common.map((name) => join(root, name)).filter((name) => existsSync(name))])
    hash.update(`\0${file.slice(root.length)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

/**
 * Opens the record of the parts that earlier builds have made. For each part, it contains the fingerprint of the
 * sources and the list of built files. A part that is not recorded is built, so an interrupted build is repeated.
 */
export async function openBuildRecord(file) {
  const parts = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => ({}));
  const save = async () => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(parts));
  };
  return {
    /**
     * Returns the files of a part if they exist and were built from sources with this fingerprint; otherwise
     * `undefined`.
     */
    current(part, print, outdir) {
      const found = parts[part];
      const isComplete = found?.print === print && found.files.every((name) => existsSync(join(outdir, name)));
      return isComplete ? found.files : undefined;
    },
    async forget(part) {
      delete parts[part];
      await save();
    },
    async keep(part, print, files) {
      parts[part] = { print, files };
      await save();
    },
  };
}
