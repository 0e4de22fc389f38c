// node scripts/cached-server.mjs <program> <cache> <thread cache> <data directory>: starts a server. On a message from the
// parent process it writes V8's code caches to files and exits.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { loadProgram } from '../bin/cached-program.js';

const [program, cache, threadCache, directory] = process.argv.slice(2).map((path) => resolve(path));
const { main, script } = loadProgram(pathToFileURL(program));
process.once('message', () => {
  // A cache is valid only with the V8 flags it was created with. Threads start with the flags of a running server, so
  // their cache is written first. A new process starts without the flag that a running server sets, so the flag is
  // reset before the second cache is written.
  writeFileSync(threadCache, script.createCachedData());
  setFlagsFromString('--heap-growing-percent=0');
  writeFileSync(cache, script.createCachedData());
  process.exit();
});
await main([process.execPath, 'flotilla', 'start', '--data-dir', directory, '--listen', '127.0.0.1:0']);
