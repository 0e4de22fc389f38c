import { escapeHtml, relativeUrl } from './html.mjs';

/** The depths of the headings that the list "On this page" shows. */
const shownDepths = [2, 3];
/** The maximum number of headings in the list. A longer list shows only the headings of the first level. */
const maxShownHeadings = 40;

/**
 * Returns a whole page of the site. All addresses are relative, scripts and styles are files, and nothing comes from
 * another host. The site therefore works below any path, from a disk, and with a strict content security policy.
 */
export function layout(page, { navigation, version }) {
  const to = (path) => escapeHtml(relativeUrl(page.path, path));
  const title = page.path === 'index.html' ? 'Flotilla documentation' : `${page.title} · Flotilla`;
  return `<!doctype html>
<html lang="en" data-root="${to('index.html').replace(/index\.html$/, '')}" data-page="${escapeHtml(page.path)}" data-version="${version}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${to('assets/favicon.svg')}">
<link rel="stylesheet" href="${to('assets/site.css')}">
<script src="${to('assets/theme.js')}"></script>
<script defer src="${escapeHtml(`${relativeUrl(page.path, 'index.html').replace(/index\.html$/, '')}../versions.js`)}"></script>
<script defer src="${to('assets/site.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
<button class="plain menu" type="button" aria-expanded="false" aria-controls="sidebar">Menu</button>
<a class="home" aria-label="Flotilla documentation" href="${to('index.html')}"><img src="${to('assets/favicon.svg')}" alt="" width="28" height="28"><span>Flotilla</span></a>
<button class="search-open" type="button"><span>Search</span><kbd aria-hidden="true">/</kbd></button>
<details class="versions"><summary aria-label="Version ${version}">${version}</summary><ul><li><a aria-current="true" href="${to('index.html')}">${version}</a></li></ul></details>
<button class="plain theme" type="button">Dark theme</button>
</header>
<div class="columns">
<nav id="sidebar" class="sidebar" aria-label="Documentation">
${sidebar(navigation, page, to)}
</nav>
<main id="content" tabindex="-1">
<p class="outdated" hidden></p>
<article>
${page.html}
</article>
</main>
${contents(page)}
</div>
${searchDialog()}
</body>
</html>
`;
}

function sidebar(navigation, page, to) {
  return navigation
    .map(({ title, links }) => {
      const items = links.map((link) => sidebarLink(link, page, to)).join('\n');
      return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items}\n</ul>`;
    })
    .join('\n');
}

function sidebarLink({ title, path, below }, page, to) {
  const current = path === page.path;
  const isOpen = below !== undefined && (current || below.some((link) => link.path === page.path));
  const inner = isOpen ? `\n<ul>\n${below.map((link) => sidebarLink(link, page, to)).join('\n')}\n</ul>` : '';
  return `<li><a${current ? ' aria-current="page"' : ''} href="${to(path)}">${escapeHtml(title)}</a>${inner}</li>`;
}

/** Returns the list "On this page". */
function contents({ headings = [] }) {
  const inDepths = (depths) => headings.filter(({ depth }) => depths.includes(depth));
  const all = inDepths(shownDepths);
  const shown = all.length > maxShownHeadings ? inDepths(shownDepths.slice(0, 1)) : all;
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ depth, id, title }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(title)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}

function searchDialog() {
  return `<dialog class="search" aria-label="Search">
<form method="dialog"><input type="search" name="query" aria-label="Search the documentation" placeholder="Search the documentation" autocomplete="off" spellcheck="false"><button class="plain" type="submit">Close</button></form>
<p class="status" role="status"></p>
<ol class="results"></ol>
</dialog>`;
}
