import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from '../check/sources.mjs';

/** The sources of the pages: kinds, verbs, flags and settings of the program, and data of its tests. */
const entry = `
export { sharedByAll } from './src/cli/catalogue/shared-options.ts';
export { loadCatalogue } from './src/cli/catalogue/catalogue.ts';
export { exitCodeMeanings, exitCodes } from './src/cli/cli-error.ts';
export { environmentMeanings } from './src/cli/environment-meanings.ts';
export { systemClock } from './src/lib/clock.ts';
export { silentLog } from './src/lib/log.ts';
export { apiVersionOf } from './src/api/meta.ts';
export * as naming from './src/api/naming.ts';
export { subresourceVerbsOf, discoveryVerbsOf } from './src/http/discovery/verbs.ts';
export { defaultManagementSettings } from './src/management/settings.ts';
export { openSealer, sealKeyBytes } from './src/seal/open-sealer.ts';
export { fileSettings } from './src/server/settings/file-settings.ts';
export { openManagementApi } from './src/server/open-management.ts';
export { openBuiltInClusterPlanes } from './src/builtin/open-planes.ts';
export { SharedDocuments } from './src/http/documents/shared-documents.ts';
export { versionInfo } from './src/http/documents/version.ts';
export { GroupVersionDocuments } from './src/http/openapi/group-version-documents.ts';
export { openMemoryStore } from './src/store/memory.ts';
export { differenceGroups } from './test/side-by-side/differences.ts';
`;

const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
/**
 * Packages that Node can import without a build. The packages in packages/ are TypeScript, so the bundle contains them.
 */
const publishedPackages = Object.keys({ ...dependencies, ...devDependencies }).filter(
  (name) => !name.startsWith('@flotilla/'),
);

let loaded;

/** Bundles and imports the sources, once per process. */
export function loadProgram() {
  loaded ??= bundleAndImport();
  return loaded;
}

/**
 * Bundles the sources and imports the bundle. The bundle is inside the project during the import, so that Node finds
 * the packages.
 */
async function bundleAndImport() {
  await mkdir(join(root, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(root, '.cache', 'docs-'));
  try {
    const bundle = await build({
      absWorkingDir: root,
      stdin: { contents: entry, resolveDir: root, loader: 'ts' },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      external: publishedPackages,
      logLevel: 'warning',
    });
    const file = join(folder, 'program.mjs');
    await writeFile(file, bundle.outputFiles[0].contents);
    return await import(pathToFileURL(file).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}
