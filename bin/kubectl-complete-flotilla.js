#!/usr/bin/env node
// What `kubectl flotilla` can be completed with, in the form that kubectl asks its plugins for: a word a line, then what
// the shell is to do besides (0 offer files, 4 offer none).
const { existsSync } = require('node:fs');
const { pathToFileURL } = require('node:url');

const program = new URL('../dist/flotilla.js', pathToFileURL(__filename));

async function complete() {
  const { main } = await import(program.href);
  await main([...process.argv.slice(0, 2), '__complete', '--kubectl', ...process.argv.slice(2)]);
}

if (existsSync(program)) void complete();
