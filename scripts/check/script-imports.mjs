import { build, formatMessages } from 'esbuild';
import { filesBelow, root } from './sources.mjs';

/**
 * Returns a problem for each name that a script imports but the imported module does not export. TypeScript does not
 * check scripts.
 */
export async function checkScriptImports() {
  const { errors } = await build({
    absWorkingDir: root,
    entryPoints: ['scripts', 'test'].flatMap((folder) => filesBelow(folder, '.mjs')),
    outdir: 'dist',
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
  }).catch((failure) => failure);
  return formatMessages(errors, { kind: 'error' });
}
