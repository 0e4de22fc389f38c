#!/usr/bin/env node
import { existsSync } from 'node:fs';

const folder = new URL('../dist/', import.meta.url);
const program = new URL('flotilla.js', folder);

/** Only a server is so large that it is worth it; all else is in small files that are loaded as they are needed. */
async function load() {
  if (process.argv[2] === 'start') {
    const { cachedProgram } = await import('./cached-program.js');
    const ready = cachedProgram(folder);
    if (ready !== undefined) return ready;
  }
  return await import(program.href);
}

if (existsSync(program)) {
  const { main } = await load();
  await main(process.argv);
} else {
  console.error('flotilla: the program has not been built yet; run: npm run build');
  process.exitCode = 1;
}
