import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const loader = new URL('../../bin/cached-program.js', import.meta.url).href;
const startCache = new URL('../../scripts/start-cache.mjs', import.meta.url).href;

/**
 * Runs JavaScript code in a new process and returns the output. The code can use the loader's functions, and the
 * variable `folder`, which is a URL.
 */
async function printed(folder: string, code: string): Promise<string> {
  const head = `
    import { readFileSync, writeFileSync } from 'node:fs';
    import { fileURLToPath, pathToFileURL } from 'node:url';
    const { cachedProgram, cacheOf, loadProgram } = await import(${JSON.stringify(loader)});
    const folder = pathToFileURL(${JSON.stringify(`${folder}/`)});`;
  const args = ['--input-type=module', '--eval', head + code];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout;
}

const program = (says: string) =>
  `(function (exports, require, module) {"use strict";
    const { sep } = require('node:path');
    exports.main = async () => console.log(${JSON.stringify(says)}, sep);
  })`;
const ownCache = `whole-1.${process.version}-${process.arch}.cache`;
const keepCache = `
  const file = new URL('whole-1.cjs', folder);
  const { main, script } = loadProgram(file);
  await main();
  writeFileSync(new URL(cacheOf('whole-1.cjs'), folder), script.createCachedData());`;
const run = `
  const ready = cachedProgram(folder);
  if (ready === undefined) console.log('nothing is ready');
  else {
    await ready.main();
    console.log('rejected', ready.script.cachedDataRejected);
  }`;

describe('a program with a code cache', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'program-'));
    await writeFile(join(folder, 'whole-1.cjs'), program('hello'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('runs from the V8 code cache, with its required modules available', async () => {
    await printed(folder, keepCache);
    expect(await printed(folder, run)).toBe('hello /\nrejected false\n');
  });

  it('runs from the V8 code cache even if it sets a V8 flag after the start', async () => {
    const server = `(function (exports, require) {
      exports.main = async () => {
        console.log('ready now');
        require('node:v8').setFlagsFromString('--heap-growing-percent=250');
        await new Promise(() => {});
      };
    })`;
    await writeFile(join(folder, 'whole-1.cjs'), server);
    const { makeCaches } = await import(startCache);
    await makeCaches(join(folder, 'whole-1.cjs'), async () => {});
    const look = "console.log('rejected', cachedProgram(folder).script.cachedDataRejected)";
    expect(await printed(folder, look)).toBe('rejected false\n');
    const lookInThread = `
      const { setFlagsFromString } = await import('node:v8');
      setFlagsFromString('--heap-growing-percent=250');
      const { Worker } = await import('node:worker_threads');
      const code = 'const { threadProgram } = require(process.argv[2]);' +
        'console.log("rejected", threadProgram(process.argv[3]).script.cachedDataRejected)';
      const argv = [fileURLToPath(${JSON.stringify(loader)}), new URL('whole-1.cjs', folder).href];
      new Worker(code, { eval: true, argv, execArgv: [] });`;
    expect(await printed(folder, lookInThread)).toBe('rejected false\n');
  });

  it('is compiled if V8 rejects the cache', async () => {
    await writeFile(join(folder, ownCache), 'what was meant for other flags');
    expect(await printed(folder, run)).toBe('hello /\nrejected true\n');
  });

  it('is not used without a cache or without its source file: then the modules are loaded', async () => {
    expect(await printed(folder, run)).toBe('nothing is ready\n');
    await printed(folder, keepCache);
    await rm(join(folder, 'whole-1.cjs'));
    expect(await readdir(folder)).toEqual([ownCache]);
    expect(await printed(folder, run)).toBe('nothing is ready\n');
  });

  it('is not used if only another version of Node has left a cache', async () => {
    await writeFile(join(folder, 'whole-1.v19.0.0-x64.cache'), 'of another Node');
    expect(await printed(folder, run)).toBe('nothing is ready\n');
  });
});
