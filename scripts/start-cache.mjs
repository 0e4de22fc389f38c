import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const server = fileURLToPath(new URL('cached-server.mjs', import.meta.url));
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
    // Whoever starts meanwhile finds all of it, or nothing.
    const copy = `${cache}.${process.pid}`;
    copyFileSync(made, copy);
    renameSync(copy, cache);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
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
