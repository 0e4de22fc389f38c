const { readdirSync, readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { Script } = require('node:vm');

/**
 * To read and compile a server takes a third of the time in which it starts. So there is the whole program as one file
 * besides, a function of `exports`, `require`, `module` and its own URL, with what V8 made of it when it was built. That is good for
 * the same version of Node alone; another one does not take it and compiles. `import()` does not work in what comes out
 * of a cache: the build leaves none.
 */
function loadProgram(file, cachedData) {
  // The file is ASCII, as the build makes sure: nothing has to be decoded.
  const source = readFileSync(file, 'latin1');
  const script = new Script(source, { filename: file.href, ...(cachedData && { cachedData }) });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file.href);
  return { main: module.exports.main, script };
}

/** What Node, and what machine, a cache is good for. */
const ending = `.${process.version}-${process.arch}.cache`;

/** The file goes by its content, and its cache is called like it: one build never meets the cache of another. */
function cacheOf(program) {
  return program.replace(/\.cjs$/, ending);
}

function findCachedProgram(folder) {
  const cache = readdirSync(folder).find((name) => name.startsWith('whole-') && name.endsWith(ending));
  if (cache === undefined) return undefined;
  return { file: new URL(cache.replace(ending, '.cjs'), folder), cache: new URL(cache, folder) };
}

/** The program, if there is one that was made ready; whatever is wrong with it, there is the other one. */
function cachedProgram(folder) {
  try {
    const found = findCachedProgram(folder);
    return found && loadProgram(found.file, readFileSync(found.cache));
  } catch {
    return undefined;
  }
}

exports.loadProgram = loadProgram;
exports.cacheOf = cacheOf;
exports.cachedProgram = cachedProgram;
