import { buildSite } from '../site/build-site.mjs';
import { versionName } from '../site/versions.mjs';
import { read } from './sources.mjs';

/**
 * Builds the documentation site in memory and checks that every link has a target and that the index lists every guide.
 */
export async function checkSite() {
  const release = JSON.parse(read('package.json')).version;
  return (await buildSite({ release, version: versionName(release) })).problems;
}
