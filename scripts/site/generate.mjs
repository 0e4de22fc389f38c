// npm run site -- --out DIR [--release X.Y.Z]: writes the documentation site of this version below DIR/vX.Y/, and adds the
// version to the list that the sites of all versions in DIR share. Fails if a link leads nowhere.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { read } from '../check/sources.mjs';
import { buildSite } from './build-site.mjs';
import { versionName, writeVersions } from './versions.mjs';

const { values } = parseArgs({ options: { out: { type: 'string' }, release: { type: 'string' } } });
if (values.out === undefined) {
  console.error('--out is required: the directory of the site, for example npm run site -- --out site');
  process.exit(2);
}
const started = performance.now();
const release = values.release ?? JSON.parse(read('package.json')).version;
const version = versionName(release);
const { files, problems, pages } = await buildSite({ release, version });
if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}
const out = resolve(values.out);
const folder = join(out, version);
await rm(folder, { recursive: true, force: true });
let bytes = 0;
for (const [path, content] of files) {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
  bytes += content.length;
}
const versions = await writeVersions(out, { version, release, pages });
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(
  `${pages.length} pages, ${(bytes / 1e6).toFixed(1)} MB, ${seconds} s: ${join(folder, 'index.html')} (versions: ${versions.map((one) => one.version).join(', ')})`,
);
