// npm run build: builds the program as ECMAScript modules in dist/. The modules contain all packages, because resolving
// and reading several hundred package files takes half of the start time. Only LevelDB, which is native code, stays
// external. Dynamic imports become separate files, so that `flotilla version` does not load a server. The build also
// creates the files of the web console. For `flotilla start` and its threads, it creates the whole program as one file
// with V8's code cache (bin/cached-program.js). With a directory as the argument, it builds only the modules, into that
// directory. Otherwise it builds only the parts whose sources have changed since the last build; without dist/ it
// builds everything.
import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { build as buildPages } from 'vite';
import { cacheOf, threadCacheOf } from '../bin/cached-program.js';
import { assertKnown, fingerprint, openBuildRecord, sources } from './build-record.mjs';
import { packConsole } from './pack-console.mjs';
import { makeCaches } from './start-cache.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = resolve(root, process.argv[2] ?? 'dist');

/**
 * Packages that are not bundled: optional dependencies of `ws` that are not installed, and the package with which the
 * gRPC library reads .proto files. The program does not read .proto files.
 */
const optionalPackages = ['bufferutil', 'utf-8-validate', '@grpc/proto-loader'];

const common = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: ['classic-level', ...optionalPackages],
  sourcemap: true,
  logLevel: 'warning',
  metafile: true,
};

const outputs = new Set();
if (process.argv[2] === undefined) {
  const record = await openBuildRecord(join(root, '.cache', 'build.json'));
  await buildPart(record, 'program', async () => {
    const [modules, cached] = [await buildModules(), await buildCachedProgram()];
    return { files: [...modules, ...(cached ?? [])], isComplete: cached !== undefined };
  });
  await buildPart(record, 'console', async () => ({ files: [await buildConsole()], isComplete: true }));
} else {
  for (const name of await buildModules()) outputs.add(name);
}

// Remove old files last, so that the directory always contains a complete program, even for a server that is starting.
for (const name of await readdir(outdir)) if (!outputs.has(name)) await rm(join(outdir, name), { recursive: true });

/** Builds a part, unless its files were built from the same sources. */
async function buildPart(record, part, make) {
  const print = await fingerprint(root, sources[part]);
  let files = record.current(part, print, outdir);
  if (files === undefined) {
    await record.forget(part);
    const made = await make();
    files = made.files;
    if (made.isComplete) await record.keep(part, print, files);
  }
  for (const name of files) outputs.add(name);
}

async function buildModules() {
  const modules = await build({
    ...common,
    entryPoints: {
      flotilla: 'src/cli/main.ts',
      'plane-thread': 'src/builtin/workers/plane-thread-main.ts',
      'render-thread': 'src/server/templates/render-thread-main.ts',
    },
    splitting: true,
    format: 'esm',
    // CommonJS packages load Node's built-in modules by `require`.
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  });
  return namesOf(modules);
}

/**
 * Returns the names of the files of a build. Throws if the build has read a file that the fingerprint does not cover.
 */
function namesOf({ metafile }) {
  assertKnown(
    'program',
    Object.keys(metafile.inputs).filter((path) => !path.includes(':')),
  );
  return Object.keys(metafile.outputs).map((path) => basename(path));
}

/**
 * Builds the single file and its code cache. Returns `undefined` if this fails: servers then start more slowly, and the
 * next build tries again.
 */
async function buildCachedProgram() {
  const whole = await build({
    ...common,
    entryPoints: { whole: 'scripts/whole-program.ts' },
    entryNames: '[name]-[hash]',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    // Reduces the size to read at each start. Names stay unchanged and lines short, so that stack traces are readable.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    external: optionalPackages,
    plugins: [levelBinding()],
    // Code from a code cache does not support dynamic imports.
    supported: { 'dynamic-import': false },
    // The single file is not a module, so the loader passes the file's URL.
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
  const caches = [cacheOf(program), threadCacheOf(program)];
  try {
    if (!caches.every((cache) => existsSync(cache))) {
      for (const { path, text } of whole.outputFiles) await writeFile(path, path === program ? ascii(text) : text);
      await makeCaches(program);
    }
    return [...names, ...caches.map((cache) => basename(cache))];
  } catch (error) {
    console.error(
      `could not create the code cache, so flotilla start compiles the program each time: ${error.message}`,
    );
    return undefined;
  }
}

/**
 * Builds the web console into a subfolder and returns the folder's name. Throws if the build has read a file that the
 * fingerprint does not cover.
 */
async function buildConsole() {
  await buildPages({ configFile: join(root, 'web', 'vite.config.ts'), logLevel: 'warn', plugins: [knownInputs()] });
  await packConsole(join(outdir, 'web'));
  return 'web';
}

/**
 * Returns a plugin that checks that the fingerprint covers all modules of the console. Skips the bundler's own modules,
 * whose names are not paths.
 */
function knownInputs() {
  return {
    name: 'known-inputs',
    generateBundle() {
      const files = [...this.getModuleIds()].map((id) => id.split('?')[0]).filter((id) => existsSync(id));
      assertKnown(
        'console',
        files.map((file) => relative(root, file)),
      );
    },
  };
}

/** Keeps LevelDB's native binding external. classic-level finds it in its own package. */
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

/** Escapes the non-ASCII characters that esbuild leaves in comments and patterns. The meaning stays the same. */
function ascii(text) {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
