#!/usr/bin/env node
import { existsSync } from 'node:fs';

const program = new URL('../dist/flotilla.js', import.meta.url);

if (existsSync(program)) {
  const { main } = await import(program.href);
  await main(process.argv);
} else {
  console.error('flotilla: the program has not been built yet; run: npm run build');
  process.exitCode = 1;
}
