import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../dist/web/', import.meta.url));

type Chunk = { file: string; css?: string[]; imports?: string[]; dynamicImports?: string[] };

/** Chunks that are loaded on demand: the editor with its YAML parser, the terminal, the log, kubectl commands, and charts. */
const onDemand =
  /components\/(?:editor|log|terminal)\/|terminal\/kubectl-console|inside\/pod\/pod-panel|control-plane-log|usage\/usage-view|^_js-yaml-/;

function weightOf(files: Iterable<string>): number {
  let bytes = 0;
  for (const file of files) bytes += gzipSync(readFileSync(join(folder, file)), { level: 9 }).length;
  return bytes;
}

/**
 * Returns the files of a chunk and of all chunks that it imports, and the names of these chunks. `isExcluded` omits
 * chunks.
 */
function filesOf(
  start: string,
  isExcluded: (name: string, isDynamic: boolean) => boolean,
): { files: Set<string>; chunks: Set<string> } {
  const manifest: Record<string, Chunk> = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'));
  const files = new Set<string>();
  const chunks = new Set<string>();
  const take = (name: string, isDynamic = false) => {
    const chunk = manifest[name];
    if (chunk === undefined || chunks.has(name) || isExcluded(name, isDynamic)) return;
    chunks.add(name);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const next of chunk.imports ?? []) take(next);
    for (const next of chunk.dynamicImports ?? []) take(next, true);
  };
  take(start);
  return { files, chunks };
}

it('all pages together have at most 400 kB, without the parts that are loaded on demand', () => {
  const { files, chunks } = filesOf('index.html', (name) => onDemand.test(name));
  expect(chunks.size).toBeGreaterThan(15);
  const kilobytes = weightOf(new Set(['index.html', ...files])) / 1000;
  const all = readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`);
  console.log(
    `${kilobytes.toFixed(0)} kB gzip without the parts on demand, ${(weightOf(all) / 1000).toFixed(0)} kB with them`,
  );
  expect(kilobytes).toBeLessThan(400);
});

/** Parts that are loaded when a user opens them, and their limits in kB. The size includes imported chunks, except those that the pages load. */
it.each([
  ['components/terminal/shell-terminal.tsx', 100],
  ['components/log/log-panel.tsx', 10],
  ['pages/terminal/kubectl-console.tsx', 30],
  ['components/usage/usage-view.tsx', 6],
])('%s has at most %d kB', (entry, limit) => {
  const pages = filesOf('index.html', (name, isDynamic) => isDynamic && onDemand.test(name));
  expect(pages.chunks.has(entry)).toBe(false);
  const part = filesOf(entry, (name, isDynamic) => isDynamic || pages.chunks.has(name));
  expect(part.chunks.has(entry)).toBe(true);
  const kilobytes = weightOf([...part.files].filter((file) => !pages.files.has(file))) / 1000;
  console.log(`${entry}: ${kilobytes.toFixed(0)} kB gzip`);
  expect(kilobytes).toBeLessThan(limit);
});

it('the build contains the styles of every component in use', () => {
  const assets = readdirSync(join(folder, 'assets'));
  const textOf = (ending: string) =>
    assets
      .filter((name) => name.endsWith(ending))
      .map((name) => readFileSync(join(folder, 'assets', name), 'utf8'))
      .join('');
  const classes = (text: string) => new Set([...text.matchAll(/\bm_[0-9a-f]{7,8}\b/g)].map(([name]) => name));
  const there = classes(textOf('.css'));
  const known = classes(readFileSync(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), 'utf8'));
  expect([...classes(textOf('.js'))].filter((name) => known.has(name) && !there.has(name))).toEqual([]);
});

it('the page loads nothing from other hosts', () => {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]);
  expect(addresses.length).toBeGreaterThan(2);
  for (const address of addresses) expect(address).toMatch(/^\/(?!\/)/);
  // No inline scripts: the content security policy forbids them.
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
});
