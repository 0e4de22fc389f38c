import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { read, root } from '../check/sources.mjs';
import { apiPages } from './api/api-pages.mjs';
import { openApiDocument } from './api/openapi-document.mjs';
import { brokenAddresses } from './check-links.mjs';
import { escapeHtml, relativeUrl } from './html.mjs';
import { layout } from './layout.mjs';
import { readNavigation, unlistedPages } from './navigation.mjs';
import { codeBlock, renderMarkdown, titleOfMarkdown } from './render-markdown.mjs';
import { searchRecords } from './search-records.mjs';
import { sourcePages } from './source-pages.mjs';

const index = 'docs/README.md';
const browser = join(root, 'scripts/site/browser');

/**
 * Builds one version of the documentation site in memory. Returns its files by path, and a list of problems: links
 * without a target, and guides that the index does not list.
 */
export async function buildSite({ release, version }) {
  const sources = sourcePages();
  const targets = new Map(Object.values(sources).flatMap((map) => [...map]));
  const { pages: markdownPages, problems } = renderPages(sources, targets);
  const document = await openApiDocument(release);
  const api = apiPages(document);
  const pages = [...markdownPages, ...api.pages];
  const groups = readNavigation(read(index), index);
  const unlisted = unlistedPages(groups, [...sources.markdown.keys()]);
  problems.push(...unlisted.map((path) => `${index}: add a link to ${path}, so that readers and the sidebar have it`));
  const navigation = [...groups.map((group) => groupInSite(group, targets)), apiGroup(api.navigation)];
  const files = new Map(pages.map((page) => [page.path, layout(page, { navigation, version })]));
  files.set('api/openapi.json', document.json);
  for (const [path, target] of sources.images) files.set(target, readFileSync(join(root, path)));
  for (const [path, content] of await assets(searchRecords(pages))) files.set(path, content);
  problems.push(...brokenAddresses(files));
  return { files, problems, pages: pages.map(({ path }) => path).sort() };
}

function renderPages({ markdown, examples, folders }, targets) {
  const problems = [];
  const pages = [];
  const titles = new Map([...markdown.keys()].map((path) => [path, titleOfMarkdown(read(path))]));
  for (const [path, target] of markdown) {
    const rendered = renderMarkdown(read(path), { path, targets, titles });
    problems.push(...rendered.problems);
    pages.push({ path: target, ...rendered });
  }
  for (const [path, target] of examples) {
    const title = path.replace('examples/', '');
    const text = read(path);
    const html = `<h1 id="example">${escapeHtml(title)}</h1>\n${codeBlock(text, path.split('.').at(-1))}`;
    pages.push({ path: target, title, html, sections: [{ depth: 1, id: 'example', title, text }] });
  }
  const titlesInSite = new Map(pages.map((page) => [page.path, page.title]));
  for (const [path, target] of folders) {
    if (!titlesInSite.has(target)) pages.push(folderPage({ path, target }, { targets, titles: titlesInSite }));
  }
  return { pages, problems };
}

/** Returns a page that lists the files and folders in a folder. */
function folderPage({ path, target }, { targets, titles }) {
  const isInside = (source) => source.startsWith(`${path}/`) && !source.slice(path.length + 1).includes('/');
  const items = [...targets]
    .filter(([source]) => isInside(source))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([source, page]) => {
      const title = titles.get(page) ?? source.slice(path.length + 1);
      return `<li><a href="${escapeHtml(relativeUrl(target, page))}">${escapeHtml(title)}</a></li>`;
    });
  const title = { 'docs/decisions': 'Decision records', examples: 'Examples' }[path] ?? path;
  return {
    path: target,
    title,
    html: `<h1 id="folder">${escapeHtml(title)}</h1>\n<ul>\n${items.join('\n')}\n</ul>`,
    sections: [{ depth: 1, id: 'folder', title, text: '' }],
  };
}

function groupInSite({ title, links }, targets) {
  return { title, links: links.map((link) => ({ ...link, path: targets.get(link.path) ?? link.path })) };
}

function apiGroup(kinds) {
  return { title: 'API', links: [{ title: 'All kinds', path: 'api/index.html', below: kinds }] };
}

/**
 * Returns the styles, the scripts and the data of the search. The scripts are not modules, because a page that is
 * opened from a disk cannot load modules.
 */
async function assets(records) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: {
      site: join(browser, 'main.js'),
      theme: join(browser, 'theme.js'),
      styles: join(browser, 'site.css'),
    },
    outdir: 'assets',
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    logLevel: 'warning',
  });
  const named = outputFiles.map(({ path, text }) => [`assets/${path.split('/').at(-1)}`, text]);
  return new Map([
    ...named.map(([path, text]) => [path.replace('styles.css', 'site.css'), text]),
    ['assets/search-records.js', `globalThis.flotillaSearchRecords = ${JSON.stringify(records)};\n`],
    ['assets/favicon.svg', read('web/public/favicon.svg')],
  ]);
}
