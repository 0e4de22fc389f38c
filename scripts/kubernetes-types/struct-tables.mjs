import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { moduleDirectory } from './module-directory.mjs';
import { packages, version } from './packages.mjs';
import { readTypes } from './read-types.mjs';
import { closureOf } from './resolve-types.mjs';
import { tableSource } from './write-table.mjs';

const modules = ['k8s.io/api', 'k8s.io/apimachinery', 'k8s.io/kube-aggregator'];

/** Returns the sources of the struct tables by file name in src/api/structs/kubernetes. */
export function structTables() {
  const directories = new Map(modules.map((module) => [module, moduleDirectory(module, version)]));
  const moduleOf = (path) => modules.find((module) => path.startsWith(`${module}/`));
  const typesOf = (path) =>
    readFileSync(join(directories.get(moduleOf(path)), path.slice(moduleOf(path).length), 'types.go'), 'utf8');

  const parsed = new Map(packages.map(({ path }) => [path, readTypes(typesOf(path))]));
  const roots = packages.flatMap(({ path, kinds, structs: parts = [] }) =>
    [...kinds, ...parts].map((name) => ({ path, name })),
  );
  const structs = closureOf(parsed, roots);
  const aliasOf = (path) => packages.find((one) => one.path === path).alias;
  return new Map(
    packages.map(({ alias, path, kinds }) => {
      const module = `${moduleOf(path)} ${version}`;
      const source = tableSource({ alias, path, module, kinds, structs: structs.get(path), aliasOf });
      return [`${fileName(alias)}.ts`, source];
    }),
  );
}

function fileName(alias) {
  return alias.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
