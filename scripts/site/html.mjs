const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for HTML content and for attribute values in double quotes. */
export function escapeHtml(text) {
  return String(text).replaceAll(/[&<>"]/g, (character) => entities[character]);
}

/**
 * Returns the relative address of one file of the site, for a link in another file. Both are paths below the root of a
 * version.
 */
export function relativeUrl(from, to) {
  const fromFolders = from.split('/').slice(0, -1);
  const toParts = to.split('/');
  let shared = 0;
  while (shared < fromFolders.length && shared < toParts.length - 1 && fromFolders[shared] === toParts[shared])
    shared++;
  return [...fromFolders.slice(shared).map(() => '..'), ...toParts.slice(shared)].join('/');
}
