import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, root } from '../check/sources.mjs';

/** Markdown files at the top of the project. */
const rootPages = {
  'README.md': 'overview.html',
  'CONTRIBUTING.md': 'contributing.html',
  'SECURITY.md': 'security.html',
  'CHANGELOG.md': 'changelog.html',
};

/**
 * Returns the sources of the site, by path in the project: Markdown pages, examples and other files that pages show,
 * images, and folders that pages link to. The value is the path in the site.
 */
export function sourcePages() {
  const charts = filesBelow('charts', 'values.yaml');
  const examples = [...filesBelow('examples', ''), ...filesBelow('monitoring', ''), ...charts];
  return {
    markdown: new Map([
      ...Object.entries(rootPages),
      ...['docs', 'examples', 'packages', 'charts']
        .flatMap((folder) => filesBelow(folder, '.md'))
        .filter((path) => !path.includes('node_modules/'))
        .map((path) => [path, markdownTarget(path)]),
    ]),
    examples: new Map(
      examples.filter((path) => !path.endsWith('.md')).map((path) => [path, `${path.toLowerCase()}.html`]),
    ),
    images: new Map(filesBelow('docs', '.png', '.svg').map((path) => [path, inSite(path)])),
    folders: new Map(linkedFolders().map((path) => [path, `${inSite(path)}/index.html`])),
  };
}

const inSite = (path) => path.replace(/^docs\//, '');

function markdownTarget(path) {
  const name = inSite(path).replace(/\.md$/, '.html').toLowerCase();
  return name.replace(/(^|\/)readme\.html$/, '$1index.html');
}

/** Returns the folders that pages may link to. For a folder without a README.md, a list of its files is generated. */
function linkedFolders() {
  return ['docs/decisions', 'docs/spec', 'docs/spec/kubernetes-behaviours', 'examples', ...subfoldersOf('examples')];
}

function subfoldersOf(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length))
    .sort();
}
