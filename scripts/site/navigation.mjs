import { dirname, join } from 'node:path';

/** The section of docs/README.md that is not a group of the sidebar. */
const notAGroup = 'By role';

/**
 * Returns the groups of the sidebar: the sections of docs/README.md with their lists of links. docs/README.md is also
 * the index of the docs on GitHub, so the links are listed only once.
 */
export function readNavigation(text, path) {
  const groups = [];
  for (const line of text.split('\n')) {
    const [, heading] = /^## (.*)$/.exec(line) ?? [];
    if (heading !== undefined) groups.push({ title: heading, links: [] });
    const [, title, target] = /^- \[([^\]]+)\]\(([^)#]+)\)/.exec(line) ?? [];
    if (target !== undefined)
      groups.at(-1)?.links.push({ title, path: join(dirname(path), target).replace(/\/$/, '') });
  }
  return groups.filter(({ title, links }) => title !== notAGroup && links.length > 0);
}

/** Returns the guides and reference pages that docs/README.md does not list. */
export function unlistedPages(groups, pages) {
  const listed = new Set(groups.flatMap(({ links }) => links.map(({ path }) => path)));
  return pages.filter((path) => /^docs\/(guides|reference)\//.test(path) && !listed.has(path));
}
