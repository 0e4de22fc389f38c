// npm run build: the program as ECMAScript modules in dist/. Packages are in it, as to find and read their several
// hundred files takes half of the time of a start; only LevelDB, which is no JavaScript, stays outside. What is imported
// dynamically becomes a file of its own, so that `flotilla version` does not load a server. Besides, there is all of it as
// one file, with what V8 makes of it, for `flotilla start` (bin/cached-program.js), and the web console as the files that a
// server serves. Another directory may be given; then the modules are all that is made.
import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { build as buildPages } from 'vite';
import { cacheOf } from '../bin/cached-program.js';
import { packConsole } from './pack-console.mjs';
import { makeStartCache } from './start-cache.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = resolve(root, process.argv[2] ?? 'dist');

/** What `ws` looks for and does without. */
const missing = ['bufferutil', 'utf-8-validate'];

const common = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: ['classic-level', ...missing],
  sourcemap: true,
  logLevel: 'warning',
  metafile: true,
};

const modules = await build({
  ...common,
  entryPoints: { flotilla: 'src/cli/main.ts' },
  splitting: true,
  format: 'esm',
  // Packages that are no ECMAScript modules ask for Node's own by `require`.
  banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
});
const made = new Set(namesOf(modules));
if (process.argv[2] === undefined) {
  for (const name of await makeWhole()) made.add(name);
  made.add(await makeConsole());
}

// Only now: there is a whole program in the directory at every moment, also for one that is being started.
for (const name of await readdir(outdir)) if (!made.has(name)) await rm(join(outdir, name), { recursive: true });

function namesOf({ metafile }) {
  return Object.keys(metafile.outputs).map((path) => basename(path));
}

/** Without it `flotilla start` takes longer, and that is all. */
async function makeWhole() {
  const whole = await build({
    ...common,
    entryPoints: { whole: 'src/cli/main.ts' },
    entryNames: '[name]-[hash]',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    // Less to read at each start. Names stay as they are, and lines short, for whoever reads where an error came from.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    external: missing,
    plugins: [levelBinding()],
    // Not in what comes out of a cache.
    supported: { 'dynamic-import': false },
    // Where it lies is told to it: it is no module that would know.
    define: { 'import.meta.url': 'programUrl' },
    banner: { js: '(function (exports, require, module, programUrl) {' },
    footer: { js: '})' },
    write: false,
  });
  const names = namesOf(whole);
  const program = join(
    outdir,
    names.find((name) => name.endsWith('.cjs')),
  );
  const cache = cacheOf(program);
  try {
    if (!existsSync(cache)) {
      for (const { path, text } of whole.outputFiles) await writeFile(path, path === program ? ascii(text) : text);
      await makeStartCache(program, cache);
    }
    return [...names, basename(cache)];
  } catch (error) {
    console.error(`flotilla start will compile itself each time: ${error.message}`);
    return [];
  }
}

/** The web console, in a folder of its own. */
async function makeConsole() {
  await buildPages({ configFile: join(root, 'web', 'vite.config.ts'), logLevel: 'warn' });
  await packConsole(join(outdir, 'web'));
  return 'web';
}

/** Of LevelDB stays outside what is no JavaScript; its package finds that beside itself. */
function levelBinding() {
  const external = { path: 'classic-level/binding.js', external: true };
  const isLevel = (importer) => importer.includes(join('node_modules', 'classic-level'));
  return {
    name: 'level-binding',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/binding$/ }, ({ importer }) => (isLevel(importer) ? external : undefined));
    },
  };
}

/** What esbuild leaves of it stands in comments and in patterns, which mean the same when it is escaped. */
function ascii(text) {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
