const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { Script } = require('node:vm');

/**
 * Reading and compiling the server takes a third of its startup time. The build therefore also writes the whole program
 * as one file, a function of `exports`, `require`, `module` and the file's URL, together with V8's code cache. The
 * cache is valid for one version of Node only. Another version rejects the cache and compiles the file. `import()` does
 * not work in cached code, so the build replaces every `import()`.
 */
function loadProgram(file, cachedData) {
  // The build ensures that the file is ASCII, so nothing has to be decoded.
  const source = readFileSync(file, 'latin1');
  const script = new Script(source, { filename: file.href, ...(cachedData && { cachedData }) });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file.href);
  return { ...module.exports, script };
}

/** The Node version and the architecture that a cache is valid for. */
const ending = `.${process.version}-${process.arch}.cache`;

/**
 * Returns the cache file of a program file. Both file names contain the hash of the program, so builds never share a
 * cache.
 */
function cacheOf(program) {
  return program.replace(/\.cjs$/, ending);
}

/**
 * Returns the cache file for threads. Threads start after the server has set its V8 flags, and a cache is valid only
 * with the flags it was created with.
 */
function threadCacheOf(program) {
  return cacheOf(program).replace(/cache$/, 'thread-cache');
}

function findCachedProgram(folder) {
  const cache = readdirSync(folder).find((name) => name.startsWith('whole-') && name.endsWith(ending));
  if (cache === undefined) return undefined;
  return { file: new URL(cache.replace(ending, '.cjs'), folder), cache: new URL(cache, folder) };
}

/**
 * Returns the cached program; `undefined` if there is none or it cannot be loaded. The caller then loads the regular
 * program.
 */
function cachedProgram(folder) {
  try {
    const found = findCachedProgram(folder);
    return found && loadProgram(found.file, readFileSync(found.cache));
  } catch {
    return undefined;
  }
}

/** Returns the program at this URL for a thread. Uses the program's cache for threads if there is one. */
function threadProgram(url) {
  const file = new URL(url);
  const cache = new URL(threadCacheOf(file.href));
  return loadProgram(file, existsSync(cache) ? readFileSync(cache) : undefined);
}

exports.loadProgram = loadProgram;
exports.cacheOf = cacheOf;
exports.threadCacheOf = threadCacheOf;
exports.cachedProgram = cachedProgram;
exports.threadProgram = threadProgram;
