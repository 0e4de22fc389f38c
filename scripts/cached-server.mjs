// node scripts/cached-server.mjs <program> <cache> <data directory>: a server that, when it is told so, leaves what V8 has
// compiled of it and ends.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { loadProgram } from '../bin/cached-program.js';

const [program, cache, directory] = process.argv.slice(2).map((path) => resolve(path));
const { main, script } = loadProgram(pathToFileURL(program));
process.once('message', () => {
  // A cache is good for the flags with which it was made, and a server sets this one when it has started.
  setFlagsFromString('--heap-growing-percent=0');
  writeFileSync(cache, script.createCachedData());
  process.exit();
});
await main([process.execPath, 'flotilla', 'start', '--data-dir', directory, '--listen', '127.0.0.1:0']);
