import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What the scenarios themselves need of the sources. */
const parts = `
  export { openEmbeddedStore } from './src/store/embedded.ts';
  export * from './src/api/naming.ts';
`;

/**
 * Builds the server and the parts that are measured alone into a directory of their own, so that what is measured are
 * the sources as they are and `dist/` stays as it is. Gives the server's program file and the imported parts.
 */
export async function bundleSources(directory) {
  const outdir = join(directory, 'program');
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  await symlink(join(root, 'node_modules'), join(outdir, 'node_modules'));
  const options = {
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
  };
  const program = join(outdir, 'flotilla.mjs');
  await build({ ...options, entryPoints: ['src/cli/main.ts'], outfile: program });
  const outfile = join(outdir, 'parts.mjs');
  await build({ ...options, stdin: { contents: parts, resolveDir: root, loader: 'ts' }, outfile });
  return { program, parts: await import(pathToFileURL(outfile).href) };
}
