import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const server = fileURLToPath(new URL('cached-server.mjs', import.meta.url));
const loader = new URL('../bin/cached-program.js', import.meta.url).href;
/** Far more than a start takes, even on a busy machine. */
const timeoutMs = 120_000;

/**
 * Starts a server with that program in a child process on a temporary data directory, and stores the code that V8 has
 * compiled when the server is ready. Throws if the server does not start or V8 does not accept the cache.
 */
export async function makeStartCache(program, cache) {
  const directory = mkdtempSync(join(tmpdir(), 'flotilla-build-'));
  const made = join(directory, 'cache');
  try {
    // Only the first start creates certificates, so the cache comes from the second one.
    for (let start = 1; start <= 2; start++) await startAndStop(program, made, join(directory, 'data'));
    if (!(await isAccepted(program, made))) throw new Error('V8 rejects the code cache that it has just created');
    // The rename is atomic: a server that starts meanwhile finds the complete cache or none.
    const copy = `${cache}.${process.pid}`;
    copyFileSync(made, copy);
    renameSync(copy, cache);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** True if V8 accepts the cache in a new process, which has the flags of a starting server. */
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

async function startAndStop(...args) {
  const child = fork(server, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  let printed = '';
  const onOutput = (text) => {
    printed += text;
    if (!/^ready /m.test(printed) || !child.connected) return;
    printed = '';
    child.send('keep');
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onOutput);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  if (code !== 0) throw new Error(printed.trim() || `the server exited with code ${code}`);
}
