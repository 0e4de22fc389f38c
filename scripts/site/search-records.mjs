/** Pages whose tables list tests and measurements. The search finds their headings only. */
const headingsOnly = /^(reference\/(conformance|performance)|changelog)\.html$/;
/** Longer texts are rare, and their first part is what a search finds. */
const maxText = 4000;

/** How much more a hit counts in these parts of the site. Readers look for guides first. */
const weights = [
  [/^(index|overview)\.html$/, 1.5],
  [/^guides\//, 2],
  [/^api\//, 1.2],
  [/^(decisions|spec)\//, 0.5],
];

/** The records of the search: one per section of a page. */
export function searchRecords(pages) {
  return pages.flatMap((page) => {
    const weight = weights.find(([pattern]) => pattern.test(page.path))?.[1] ?? 1;
    // The first section is the page itself. Its address has no anchor, and all addresses of a page are different.
    return (page.sections ?? []).map(({ id, title, text }, position) => ({
      url: position === 0 ? page.path : `${page.path}#${id}`,
      page: page.title,
      title: position === 0 ? page.title : title,
      text: headingsOnly.test(page.path) ? '' : text.slice(0, maxText),
      weight,
    }));
  });
}
