#!/usr/bin/env node
// Prints completions for `kubectl flotilla` in the format that kubectl expects of its plugins: one word per line, then
// a
// directive for the shell (0: offer files, 4: offer none).
const { existsSync } = require('node:fs');
const { pathToFileURL } = require('node:url');

const program = new URL('../dist/flotilla.js', pathToFileURL(__filename));

async function complete() {
  const { main } = await import(program.href);
  await main([...process.argv.slice(0, 2), '__complete', '--kubectl', ...process.argv.slice(2)]);
}

if (existsSync(program)) void complete();
