import { dirname, join } from 'node:path';
import { browserSafe, dynamicOnly, importTable, pagesMayImport } from './import-table.mjs';
import { filesBelow, read } from './sources.mjs';

const statement = /(?:^|\n)\s*(?:import|export)\s[^;'"]*?from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g;
const dynamic = /import\(\s*['"]([^'"]+)['"]\s*\)/g;

const folderOf = (path) => path.split('/')[1];
const isTest = (path) => /\.(test|suite|fixture)\.ts$/.test(path);

/** What runs in the browser, and what of src/ it may use: no more than anybody else has who uses the API. */
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

/** Tests may reach further than the code beside them (they start servers, stores, planes), but never the other way. */
export function checkImports() {
  const problems = checkPages();
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
      // The version stands there and nowhere else; the build puts it into the bundle.
      if (resolved === 'package.json') continue;
      if (!resolved.startsWith('src/')) {
        if (!isTest(path)) problems.push(`${path}: imports ${resolved}, which lies outside src`);
        continue;
      }
      const other = folderOf(resolved);
      if (isTest(resolved) && !isTest(path)) problems.push(`${path}: imports a test, ${resolved}`);
      const fine =
        other === folder ||
        other === 'lib' ||
        isTest(path) ||
        allowed.includes(other) ||
        (lazy && (dynamicOnly[folder] ?? []).includes(other));
      if (!fine) problems.push(`${path}: imports ${resolved}; the table does not let ${folder} import ${other}`);
    }
  }
  return problems;
}
