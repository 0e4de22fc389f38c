import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heapReporting, liveHeap } from '../bad-days/live-heap.ts';
import { type ServingProcess, startServing } from '../harness/flotilla-process.ts';

/** Prints details of each garbage collection, and enables collections on demand. */
const nodeArgs = ['--trace-gc-verbose', ...heapReporting];

/** Returns the ratio of V8's last reported heap limit to the size of the live objects. */
async function growth(serving: ServingProcess): Promise<number> {
  await liveHeap(serving);
  const said = [...serving.output().matchAll(/new limit: \d+ KB \(([\d.]+)\)/g)];
  return Number(said.at(-1)?.[1]);
}

describe('a heap with headroom', () => {
  let folder: string;
  let serving: ServingProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'flotilla-room-'));
  });
  afterEach(async () => {
    await serving?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is configured on a server once it is ready', async () => {
    const args = ['start', '--data-dir', join(folder, 'server'), '--listen', '127.0.0.1:0'];
    serving = await startServing(args, { nodeArgs });
    expect(await growth(serving)).toBe(3.5);
  });

  it('is configured on an agent once it is ready, with or without a connection to the server', async () => {
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
