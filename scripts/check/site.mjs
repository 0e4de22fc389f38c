import { buildSite } from '../site/build-site.mjs';
import { versionName } from '../site/versions.mjs';
import { read } from './sources.mjs';

/** Builds the documentation site in memory: every link must lead somewhere, and the index must list every guide. */
export async function checkSite() {
  const release = JSON.parse(read('package.json')).version;
  return (await buildSite({ release, version: versionName(release) })).problems;
}
