/** Pages whose tables list tests and measurements. Only the headings of these pages are in the search records. */
const headingsOnly = /^(reference\/(conformance|performance)|changelog)\.html$/;
/** The maximum length of the text of a record. Longer texts are rare, and the search looks only at their first part. */
const maxText = 4000;

/**
 * The factors by which the score of hits in these parts of the site is multiplied. Guides have the largest factor,
 * because readers look for them first.
 */
const weights = [
  [/^(index|overview)\.html$/, 1.5],
  [/^guides\//, 2],
  [/^api\//, 1.2],
  [/^(decisions|spec)\//, 0.5],
];

/** Returns the records of the search: one per section of a page. */
export function searchRecords(pages) {
  return pages.flatMap((page) => {
    const weight = weights.find(([pattern]) => pattern.test(page.path))?.[1] ?? 1;
    // The first section is the page itself, so its address has no anchor. All addresses of a page differ.
    return (page.sections ?? []).map(({ id, title, text }, position) => ({
      url: position === 0 ? page.path : `${page.path}#${id}`,
      page: page.title,
      title: position === 0 ? page.title : title,
      text: headingsOnly.test(page.path) ? '' : text.slice(0, maxText),
      weight,
    }));
  });
}
