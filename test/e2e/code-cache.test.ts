import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/**
 * Loads the built program in a thread with the V8 flags of a started server. Returns whether V8 rejected its code
 * cache.
 */
function isRejectedInThread(): Promise<unknown> {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    require('node:v8').setFlagsFromString('--heap-growing-percent=250');
    const { threadProgram } = require(workerData.loader);
    parentPort.postMessage(threadProgram(workerData.program).script.cachedDataRejected);`;
  const name = readdirSync(dist).find((file) => /^whole-\w+\.cjs$/.test(file)) ?? '';
  const workerData = {
    loader: fileURLToPath(new URL('../../bin/cached-program.js', import.meta.url)),
    program: new URL(`../../dist/${name}`, import.meta.url).href,
  };
  return new Promise((resolve, reject) => {
    const worker = new Worker(code, { eval: true, workerData, execArgv: [] });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

describe('the built program', () => {
  it('has a code cache for the server and one for its threads', () => {
    const ending = `${process.version}-${process.arch}`.replaceAll('.', '\\.');
    const found = (kind: string) => readdirSync(dist).filter((file) => file.match(`^whole-.*\\.${ending}\\.${kind}$`));
    expect(found('cache')).toHaveLength(1);
    expect(found('thread-cache')).toHaveLength(1);
  });

  it('is loaded from the cache in a thread of a started server', async () => {
    expect(await isRejectedInThread()).toBe(false);
  });
});
