#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { pathToFileURL } = require('node:url');

const folder = new URL('../dist/', pathToFileURL(__filename));
const program = new URL('flotilla.js', folder);

/** Only the server is large enough to benefit from the cache; other commands load small files on demand. */
async function load() {
  if (process.argv[2] === 'start') {
    const { cachedProgram } = require('./cached-program.js');
    const ready = cachedProgram(folder);
    if (ready !== undefined) return ready;
  }
  return await import(program.href);
}

async function run() {
  const { main } = await load();
  await main(process.argv);
}

if (existsSync(program)) void run();
else {
  console.error('flotilla: the program is not built; run: npm run build');
  process.exitCode = 1;
}
