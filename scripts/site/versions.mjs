import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the name of a version in the site: major and minor number, such as v0.1 for 0.1.3. */
export function versionName(release) {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(release) ?? [];
  if (minor === undefined) throw new Error(`"${release}" is not a version such as 0.1.0`);
  return `v${major}.${minor}`;
}

/** Returns the versions including `added`, newest first. `added` replaces an entry for the same version. */
export function withVersion(versions, added) {
  const others = versions.filter(({ version }) => version !== added.version);
  return [...others, added].sort((a, b) => compareVersions(b.version, a.version));
}

function compareVersions(a, b) {
  const [x, y] = [a, b].map((name) => name.slice(1).split('.').map(Number));
  return x[0] - y[0] || x[1] - y[1];
}

/**
 * Adds a version to the files that all versions of a site share: the list of versions as JSON and as a script, and the
 * start page, which redirects to the newest version. The script is needed because a page that is opened from a disk
 * cannot read JSON.
 */
export async function writeVersions(folder, added) {
  const file = join(folder, 'versions.json');
  const known = existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : [];
  const versions = withVersion(known, added);
  await writeFile(file, `${JSON.stringify(versions, null, 1)}\n`);
  await writeFile(join(folder, 'versions.js'), `globalThis.flotillaVersions = ${JSON.stringify(versions)};\n`);
  const newest = `${versions[0].version}/index.html`;
  await writeFile(
    join(folder, 'index.html'),
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${newest}">
<title>Flotilla documentation</title>
</head>
<body><main><h1>Flotilla documentation</h1><p><a href="${newest}">Continue to the newest version</a></p></main></body>
</html>
`,
  );
  return versions;
}
