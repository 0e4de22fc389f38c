import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const server = fileURLToPath(new URL('cached-server.mjs', import.meta.url));
const loader = new URL('../bin/cached-program.js', import.meta.url).href;
/** Far more than it takes on a machine that is busy with other things. */
const longestMilliseconds = 120_000;

/**
 * Has a server of that program started, in a process and on a directory of its own, and keeps what V8 has compiled by the
 * time that it is ready. Throws if that does not come about.
 */
export async function makeStartCache(program, cache) {
  const directory = mkdtempSync(join(tmpdir(), 'flotilla-build-'));
  const made = join(directory, 'cache');
  try {
    // The first start makes certificates, which no other does: what that takes is not worth keeping.
    for (let start = 1; start <= 2; start++) await startAndEnd(program, made, join(directory, 'data'));
    if (!(await isTaken(program, made))) throw new Error('V8 does not take what it has kept');
    // Whoever starts meanwhile finds all of it, or nothing.
    const copy = `${cache}.${process.pid}`;
    copyFileSync(made, copy);
    renameSync(copy, cache);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** It is for the flags of V8 with which it was made, so by a process as one is that starts. */
async function isTaken(program, cache) {
  const asked = `
    import { readFileSync } from 'node:fs';
    import { pathToFileURL } from 'node:url';
    const [loader, program, cache] = process.argv.slice(1);
    const { loadProgram } = await import(loader);
    const { script } = loadProgram(pathToFileURL(program), readFileSync(cache));
    process.stdout.write(String(!script.cachedDataRejected));`;
  const args = ['--input-type=module', '--eval', asked, loader, program, cache];
  return (await promisify(execFile)(process.execPath, args)).stdout === 'true';
}

async function startAndEnd(...args) {
  const child = fork(server, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), longestMilliseconds);
  let printed = '';
  const listen = (text) => {
    printed += text;
    if (!/^ready /m.test(printed) || !child.connected) return;
    printed = '';
    child.send('keep');
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', listen);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  if (code !== 0) throw new Error(printed.trim() || `the server ended with ${code}`);
}
