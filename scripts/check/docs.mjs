import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { headingAnchors, withoutCode } from '../docs/markdown.mjs';
import { generatedPages } from '../docs/pages.mjs';
import { checkDocPaths } from './doc-paths.mjs';
import { importTable } from './import-table.mjs';
import { filesBelow, read, root } from './sources.mjs';

/** Compares docs with code: links, file names, the import table, error reasons, generated pages. */
export async function checkDocs() {
  return [...links(), ...checkDocPaths(pages()), ...architecture(), ...reasons(), ...(await generated())];
}

function pages() {
  const root = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];
  return [...root, ...filesBelow('docs', '.md'), ...filesBelow('examples', '.md'), ...filesBelow('charts', '.md')];
}

function links() {
  return pages().flatMap((page) => brokenLinks(page, read(page)));
}

/** Returns the links and images of a page whose file or heading does not exist. */
export function brokenLinks(page, text) {
  const problems = [];
  // Remove code spans, because regular expressions in them look like links.
  const prose = withoutCode(text).replace(/`[^`\n]*`/g, '``');
  for (const [, link, target, heading] of prose.matchAll(/\]\((([^)#\s]*)(?:#([^)]*))?)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const path = target === '' ? page : join(dirname(page), target);
    const anchors = () => headingAnchors(target === '' ? text : read(path));
    const found =
      (target === '' || existsSync(join(root, path))) && (heading === undefined || anchors().includes(heading));
    if (!found) problems.push(`${page}: the target of the link ${link} does not exist`);
  }
  return problems;
}

/** Checks that the table in docs/ARCHITECTURE.md equals scripts/check/import-table.mjs. */
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
    .map(([folder, allowed]) => `docs/ARCHITECTURE.md: the row of ${folder} must be: ${allowed.join(', ') || '–'}`);
}

function compare(what, page, inCode, inDocs) {
  return [
    ...inCode.filter((name) => !inDocs.includes(name)).map((name) => `${page}: the ${what} ${name} is not described`),
    ...inDocs.filter((name) => !inCode.includes(name)).map((name) => `${page}: the ${what} ${name} does not exist`),
  ];
}

function reasons() {
  const page = 'docs/reference/errors.md';
  const union = read('src/api/status.ts').match(/export type StatusReason =([^;]*);/)?.[1] ?? '';
  const inCode = [...union.matchAll(/'([A-Za-z]+)'/g)].map(([, name]) => name);
  const inDocs = [...read(page).matchAll(/^\| `([A-Za-z]+)` \|/gm)].map(([, name]) => name);
  return compare('reason', page, inCode, inDocs);
}

async function generated() {
  const problems = [];
  for (const [page, text] of await generatedPages()) {
    if (!existsSync(join(root, page)) || read(page) !== text) {
      problems.push(`${page}: out of date; run \`npm run docs\``);
    }
  }
  return problems;
}
