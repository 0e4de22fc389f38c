import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './stage-program.mjs';

/**
 * Returns the npm packages that the program contains: the dependencies in package.json, the packages of the console,
 * and the dependencies of both. The console's packages are development dependencies of the project, because the build
 * bundles them.
 */
export async function bundledPackages() {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const { dependencies } = packages[''];
  const found = new Map();
  const add = (name, from) => {
    const path = resolvePackage(packages, name, from);
    if (path === undefined || found.has(path)) return;
    const { version, link, license, resolved } = packages[path];
    if (link === true) {
      for (const required of Object.keys(packages[resolved]?.dependencies ?? {})) add(required, '');
      return;
    }
    found.set(path, {
      type: 'library',
      name,
      version,
      license,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    });
    for (const required of Object.keys(packages[path].dependencies ?? {})) add(required, path);
  };
  for (const name of Object.keys(dependencies)) add(name, '');
  for (const name of await consolePackages()) add(name, '');
  return [...found.values()];
}

/** Returns the packages that the sources of the console import. */
async function consolePackages() {
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const isInConsole = /^(@codemirror\/|@lezer\/|@mantine\/|@tanstack\/|react$|react-dom$)/;
  return Object.keys(devDependencies).filter((name) => isInConsole.test(name));
}

/**
 * Finds a package as Node does and returns its path. Searches first in the node_modules folder of the requiring
 * package, then in that of each parent folder.
 */
function resolvePackage(packages, name, from) {
  const folders = from.split('/node_modules/');
  for (let count = folders.length; count > 0; count--) {
    const folder = folders.slice(0, count).join('/node_modules/');
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
  }
  return packages[`node_modules/${name}`] === undefined ? undefined : `node_modules/${name}`;
}

/**
 * Writes the components of an artifact in the CycloneDX format. Components with the same package URL are written once.
 */
export async function writeBillOfMaterials(file, { name, version, license }, components) {
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name, version, licenses: [{ license: { id: license } }] } },
    components: [...new Map(components.map((component) => [component.purl, component])).values()]
      .map(({ license: found, ...component }) => ({
        ...component,
        'bom-ref': component.purl,
        ...(found === undefined ? {} : { licenses: [{ expression: found }] }),
      }))
      .sort((one, other) => (one.purl < other.purl ? -1 : 1)),
  };
  await writeFile(file, `${JSON.stringify(document, undefined, 2)}\n`);
}
