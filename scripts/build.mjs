// npm run build: the program as ECMAScript modules in dist/. Packages are in it, as to find and read their several
// hundred files takes half of the time of a start; only LevelDB, which is no JavaScript, stays outside. What is imported
// dynamically becomes a file of its own, so that `flotilla version` does not load a server. Another directory may be given.
import { readdir, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = resolve(root, process.argv[2] ?? 'dist');

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { flotilla: 'src/cli/main.ts' },
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // The last two are what `ws` looks for and does without.
  external: ['classic-level', 'bufferutil', 'utf-8-validate'],
  // Packages that are no ECMAScript modules ask for Node's own by `require`.
  banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  sourcemap: true,
  logLevel: 'warning',
  metafile: true,
});

// Only now: there is a whole program in the directory at every moment, also for one that is being started.
const made = new Set(Object.keys(metafile.outputs).map((path) => basename(path)));
for (const name of await readdir(outdir)) if (!made.has(name)) await rm(join(outdir, name), { recursive: true });
