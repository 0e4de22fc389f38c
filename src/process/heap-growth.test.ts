import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('.', import.meta.url));

/** Holds something, is quiet, and then takes as much again and more, a little at a time, and lets go of most of it. */
const program = `
  import { constants, PerformanceObserver } from 'node:perf_hooks';
  import { setTimeout as sleep } from 'node:timers/promises';
  import { giveHeapRoom } from './heap-growth.ts';

  const some = (count) => Array.from({ length: count }, (_, at) => ({ name: 'object ' + at, numbers: [at, at + 1] }));
  if (process.argv[1] === 'with room') giveHeapRoom();
  const held = some(200_000);
  let whole = 0;
  const isWhole = ({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
  new PerformanceObserver((list) => {
    whole += list.getEntries().filter(isWhole).length;
  }).observe({ entryTypes: ['gc'] });
  gc();
  await sleep(4000);
  gc();
  await sleep(50);
  whole = 0;
  const taken = [];
  for (let at = 0; at < 60; at++) {
    taken.push(some(10_000));
    if (taken.length > 10) taken.shift();
    await sleep(5);
  }
  await sleep(50);
  process.stdout.write(String(held.length > 0 ? whole : -1));
`;

async function wholeCollections(source: string, ...args: string[]): Promise<number> {
  const flags = ['--expose-gc', '--input-type=module', '--eval', source];
  return Number((await run(process.execPath, [...flags, ...args])).stdout);
}

it('spares who comes after a quiet while the collections of the whole heap', async () => {
  const stdin = { contents: program, resolveDir: folder };
  const built = await build({ stdin, bundle: true, format: 'esm', platform: 'node', write: false });
  const source = built.outputFiles[0]?.text ?? '';
  const [alone, withRoom] = await Promise.all([wholeCollections(source), wholeCollections(source, 'with room')]);
  expect(alone).toBeGreaterThan(0);
  expect(withRoom).toBe(0);
});
