/** Fills the menu of versions. Shows readers of an older version that there is a newer one. */
export function showVersions() {
  const versions = globalThis.flotillaVersions ?? [];
  const { version: current, page, root } = document.documentElement.dataset;
  if (versions.length === 0) return;
  /**
   * Returns the address of this page in another version. If the other version does not have this page, returns the
   * address of that version's start page.
   */
  const addressIn = ({ version, pages }) => `${root}../${version}/${pages.includes(page) ? page : 'index.html'}`;
  const link = (entry, text) => {
    const anchor = document.createElement('a');
    anchor.href = addressIn(entry);
    anchor.textContent = text;
    if (entry.version === current) anchor.setAttribute('aria-current', 'true');
    return anchor;
  };
  document.querySelector('.versions ul').replaceChildren(
    ...versions.map((entry) => {
      const item = document.createElement('li');
      item.append(link(entry, entry.version));
      return item;
    }),
  );
  const [newest] = versions;
  if (newest.version === current) return;
  const notice = document.querySelector('.outdated');
  notice.append(`This page describes ${current}. `, link(newest, `Read it for ${newest.version}`), '.');
  notice.hidden = false;
}
