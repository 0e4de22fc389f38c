import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heapReporting, liveHeap } from '../bad-days/live-heap.ts';
import { type ServingProcess, startServing } from '../harness/flotilla-process.ts';

/** What V8 says of each collection, and collections on demand. */
const nodeArgs = ['--trace-gc-verbose', ...heapReporting];

/** How many times what is alive V8 lets the heap become, from now on. */
async function growth(serving: ServingProcess): Promise<number> {
  await liveHeap(serving);
  const said = [...serving.output().matchAll(/new limit: \d+ KB \(([\d.]+)\)/g)];
  return Number(said.at(-1)?.[1]);
}

describe('a heap with room at all times', () => {
  let folder: string;
  let serving: ServingProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'flotilla-room-'));
  });
  afterEach(async () => {
    await serving?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is what a server has once it is ready', async () => {
    const args = ['start', '--data-dir', join(folder, 'server'), '--listen', '127.0.0.1:0'];
    serving = await startServing(args, { nodeArgs });
    expect(await growth(serving)).toBe(3.5);
  });

  it('is what an agent has once it is ready, whether it reaches the centre or not', async () => {
    const keyFile = join(folder, 'edge.key');
    writeFileSync(keyFile, 'nobody asks for it\n', { mode: 0o600 });
    const args = [
      ...['agent', '--management', 'https://127.0.0.1:1', '--cluster', 'edge', '--access-key-file', keyFile],
      ...['--data-dir', join(folder, 'agent'), '--listen', '127.0.0.1:0', '--built-in'],
    ];
    serving = await startServing(args, { nodeArgs });
    expect(await growth(serving)).toBe(3.5);
  });
});
