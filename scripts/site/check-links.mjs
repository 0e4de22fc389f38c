import { posix } from 'node:path';

/** Returns the addresses in a site whose file or element does not exist. `files` maps paths to contents. */
export function brokenAddresses(files) {
  const problems = [];
  const ids = new Map();
  const idsOf = (path) => {
    if (!ids.has(path)) {
      ids.set(path, new Set([...String(files.get(path)).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)));
    }
    return ids.get(path);
  };
  for (const [path, content] of files) {
    if (!path.endsWith('.html')) continue;
    for (const [, address] of content.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      if (/^https?:/.test(address) || address.endsWith('../versions.js')) continue;
      const [target, id] = address.split('#');
      const file = target === '' ? path : posix.join(posix.dirname(path), target);
      if (!files.has(file)) problems.push(`${path}: the file of ${address} does not exist`);
      else if (id !== undefined && !idsOf(file).has(decodeURIComponent(id)))
        problems.push(`${path}: the element of ${address} does not exist`);
    }
  }
  return problems;
}
