#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { pathToFileURL } = require('node:url');

const folder = new URL('../dist/', pathToFileURL(__filename));
const program = new URL('flotilla.js', folder);

/** Only a server is so large that it is worth it; all else is in small files that are loaded as they are needed. */
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
  console.error('flotilla: the program has not been built yet; run: npm run build');
  process.exitCode = 1;
}
