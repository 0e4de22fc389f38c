import { dirname, join } from 'node:path';
import { browserSafe, dynamicOnly, importTable, pagesMayImport } from './import-table.mjs';
import { filesBelow, read } from './sources.mjs';

const statement = /(?:^|\n)\s*(?:import|export)\s[^;'"]*?from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g;
const dynamic = /import\(\s*['"]([^'"]+)['"]\s*\)/g;

const folderOf = (path) => path.split('/')[1];
const isTest = (path) => /\.(test|suite|fixture)\.ts$/.test(path);

/** Checks the imports of the console, which may use only what any API client uses. */
function checkPages() {
  const problems = [];
  for (const path of filesBelow('web', '.ts', '.tsx')) {
    if (isTest(path)) continue;
    const text = read(path);
    const targets = [...text.matchAll(statement), ...text.matchAll(dynamic)].map((match) => match[1] ?? match[2]);
    for (const target of targets) {
      if (target.startsWith('node:')) problems.push(`${path}: imports ${target}, but web runs in a browser`);
      if (!target.startsWith('.')) continue;
      const resolved = join(dirname(path), target);
      if (resolved.startsWith('web/')) continue;
      if (!pagesMayImport.includes(folderOf(resolved)) || !resolved.startsWith('src/')) {
        problems.push(`${path}: imports ${resolved}; web may import ${pagesMayImport.join(', ')}`);
      }
    }
  }
  return problems;
}

/** Checks that packages are independent: each imports only its own files and the packages that its package.json lists. */
function checkPackages() {
  const problems = [];
  for (const path of filesBelow('packages', '.ts')) {
    const home = path.split('/').slice(0, 2).join('/');
    const { dependencies = {} } = JSON.parse(read(`${home}/package.json`));
    if (isTest(path)) continue;
    for (const match of read(path).matchAll(statement)) {
      const target = match[1] ?? match[2];
      if (target.startsWith('.')) {
        const resolved = join(dirname(path), target);
        if (!resolved.startsWith(`${home}/`))
          problems.push(`${path}: imports ${resolved}, which is outside of ${home}`);
        if (isTest(resolved)) problems.push(`${path}: imports the test file ${resolved}`);
      } else if (target.startsWith('node:')) {
        problems.push(`${path}: imports ${target}, but packages must run in a browser too`);
      } else if (!Object.keys(dependencies).some((name) => target === name || target.startsWith(`${name}/`))) {
        problems.push(`${path}: imports ${target}, which ${home}/package.json does not list`);
      }
    }
  }
  return problems;
}

/** Checks src/ against the import table. Tests may import any folder, because they start servers, stores and planes, but other code must not import tests. */
export function checkImports() {
  const problems = [...checkPages(), ...checkPackages()];
  for (const path of filesBelow('src', '.ts')) {
    const text = read(path);
    const folder = folderOf(path);
    const allowed = importTable[folder];
    if (allowed === undefined) {
      problems.push(`${path}: the folder ${folder} is not in the import table`);
      continue;
    }
    const found = [
      ...[...text.matchAll(statement)].map((match) => ({ target: match[1] ?? match[2], lazy: false })),
      ...[...text.matchAll(dynamic)].map((match) => ({ target: match[1], lazy: true })),
    ];
    for (const { target, lazy } of found) {
      if (target.startsWith('node:') && browserSafe.includes(folder) && !isTest(path)) {
        problems.push(`${path}: imports ${target}, but ${folder} must run in a browser too`);
      }
      if (!target.startsWith('.')) continue;
      const resolved = join(dirname(path), target);
      // Allow package.json, because no other file contains the version that the build includes in the bundle.
      if (resolved === 'package.json') continue;
      if (!resolved.startsWith('src/')) {
        if (!isTest(path)) problems.push(`${path}: imports ${resolved}, which is outside of src`);
        continue;
      }
      const other = folderOf(resolved);
      if (isTest(resolved) && !isTest(path)) problems.push(`${path}: imports the test file ${resolved}`);
      const isAllowed =
        other === folder ||
        other === 'lib' ||
        isTest(path) ||
        allowed.includes(other) ||
        (lazy && (dynamicOnly[folder] ?? []).includes(other));
      if (!isAllowed)
        problems.push(`${path}: imports ${resolved}; the import table does not allow ${folder} to import ${other}`);
    }
  }
  return problems;
}
