import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importTable } from './import-table.mjs';
import { filesBelow, read, root } from './sources.mjs';

/** Docs against code, in both directions where there are two: links, the import table, flags, error reasons, kinds. */
export function checkDocs() {
  return [...links(), ...architecture(), ...flags(), ...reasons(), ...kinds()];
}

function pages() {
  return ['README.md', 'CONTRIBUTING.md', ...filesBelow('docs', '.md')];
}

function links() {
  const problems = [];
  for (const page of pages()) {
    for (const [, target] of read(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      if (!existsSync(join(root, dirname(page), target))) problems.push(`${page}: the link ${target} leads nowhere`);
    }
  }
  return problems;
}

/** Every row of the table in docs/ARCHITECTURE.md says what scripts/check/import-table.mjs enforces. */
function architecture() {
  const text = read('docs/ARCHITECTURE.md');
  const rows = new Map(
    [...text.matchAll(/^\| `?([a-z]+)`? \| ([^|]*) \|/gm)].map(([, folder, list]) => [
      folder,
      list.trim() === '–' ? [] : list.split(',').map((name) => name.trim()),
    ]),
  );
  return Object.entries(importTable)
    .filter(([folder, allowed]) => JSON.stringify(rows.get(folder)) !== JSON.stringify(allowed))
    .map(([folder, allowed]) => `docs/ARCHITECTURE.md: the row of ${folder} should read: ${allowed.join(', ') || '–'}`);
}

function compare(what, page, inCode, inDocs) {
  return [
    ...inCode.filter((name) => !inDocs.includes(name)).map((name) => `${page}: the ${what} ${name} is not described`),
    ...inDocs.filter((name) => !inCode.includes(name)).map((name) => `${page}: the ${what} ${name} does not exist`),
  ];
}

function flags() {
  const page = 'docs/reference/settings.md';
  const inCode = [...new Set([...read('src/server/options.ts').matchAll(/'--([a-z-]+)/g)].map(([, name]) => name))];
  const inDocs = [...read(page).matchAll(/^\| `--([a-z-]+)/gm)].map(([, name]) => name);
  return compare('flag', page, inCode, inDocs);
}

function reasons() {
  const page = 'docs/reference/errors.md';
  const union = read('src/api/status.ts').match(/export type StatusReason =([^;]*);/)?.[1] ?? '';
  const inCode = [...union.matchAll(/'([A-Za-z]+)'/g)].map(([, name]) => name);
  const inDocs = [...read(page).matchAll(/^\| `([A-Za-z]+)` \|/gm)].map(([, name]) => name);
  return compare('reason', page, inCode, inDocs);
}

function kinds() {
  const page = 'docs/reference/kinds.md';
  const inCode = filesBelow('src/api/management/v1', '.ts')
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => [...read(path).matchAll(/^\s+kind: '([A-Za-z]+)',$/gm)].map(([, name]) => name));
  const inDocs = [...read(page).matchAll(/^## ([A-Za-z]+)$/gm)].map(([, name]) => name);
  return compare('kind', page, [...new Set(inCode)], inDocs);
}
