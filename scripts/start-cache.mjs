import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheOf, threadCacheOf } from '../bin/cached-program.js';
import { exerciseServer } from './exercise-server.mjs';

const server = fileURLToPath(new URL('cached-server.mjs', import.meta.url));
const loader = new URL('../bin/cached-program.js', import.meta.url).href;
/** The maximum time for a start. It is far longer than a start takes, even on a busy machine. */
const timeoutMs = 120_000;

/**
 * Starts a server with `program` in a child process on a temporary data directory, and stores the code that V8 compiles
 * while the server serves the most usual requests. Writes the cache for a new process to `cacheOf(program)` and the
 * cache for threads to `threadCacheOf(program)`. Throws if the server does not start or V8 does not accept the cache.
 */
export async function makeCaches(program, exercise = exerciseServer) {
  const directory = mkdtempSync(join(tmpdir(), 'flotilla-build-'));
  const [cache, threadCache] = [join(directory, 'cache'), join(directory, 'thread-cache')];
  try {
    // The cache is made by the second start, because only the first start creates certificates.
    const data = join(directory, 'data');
    const paths = [program, cache, threadCache, data];
    await startAndStop(paths);
    await startAndStop(paths, (url) => exercise(url, data));
    if (!(await isAccepted(program, cache))) throw new Error('V8 rejects the code cache that it has just created');
    publish(threadCache, threadCacheOf(program));
    publish(cache, cacheOf(program));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Copies a file. The final rename is atomic, so a server that starts at the same time finds the complete file or none.
 */
function publish(made, path) {
  const copy = `${path}.${process.pid}`;
  copyFileSync(made, copy);
  renameSync(copy, path);
}

/** True if V8 accepts the cache in a new process, which has the same flags as a starting server. */
async function isAccepted(program, cache) {
  const probe = `
    import { readFileSync } from 'node:fs';
    import { pathToFileURL } from 'node:url';
    const [loader, program, cache] = process.argv.slice(1);
    const { loadProgram } = await import(loader);
    const { script } = loadProgram(pathToFileURL(program), readFileSync(cache));
    process.stdout.write(String(!script.cachedDataRejected));`;
  const args = ['--input-type=module', '--eval', probe, loader, program, cache];
  return (await promisify(execFile)(process.execPath, args)).stdout === 'true';
}

/** Starts a server, calls `onReady` with its URL, and then makes the server store its compiled code and stop. */
async function startAndStop(paths, onReady) {
  // Set the default API word, because the requests of `exerciseServer` contain it.
  const env = { ...process.env, FLOTILLA_API_WORD: '' };
  const child = fork(server, paths, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const ended = once(child, 'exit');
  let printed = '';
  const url = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        printed += text;
        const ready = /^ready (\S+)$/m.exec(printed)?.[1];
        if (ready !== undefined) resolve(ready);
      });
    }
  });
  try {
    const ready = await Promise.race([url, ended]);
    if (typeof ready === 'string') {
      await onReady?.(ready);
      child.send('keep');
    }
    const [code] = await ended;
    if (code !== 0) throw new Error(printed.trim() || `the server exited with code ${code}`);
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}
