import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { openEmbeddedStore } from '../../src/store/embedded.ts';
import { CrashLedger } from './crash-ledger.ts';

/**
 * Kills a process with eight writers at a random point, opens the store it left, holds it against what the process had
 * been told, and begins again over the same store. Throws at the first thing that does not fit.
 */
export async function killRounds(rounds: number): Promise<{ acknowledged: number; found: number }> {
  const program = await buildWriter();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-crash-'));
  const ledger = new CrashLedger();
  try {
    for (let round = 0; round < rounds; round++) {
      ledger.beginRound(round);
      await runUntilKilled(program, directory, round, ledger);
      const store = await openEmbeddedStore({ directory });
      try {
        await ledger.verify(store);
      } finally {
        await store.close();
      }
    }
    return ledger.totals;
  } finally {
    await rm(directory, { recursive: true, force: true });
    await rm(dirname(program), { recursive: true, force: true });
  }
}

/** Beneath node_modules, so that the bundle finds the native module that it leaves out. */
async function buildWriter(): Promise<string> {
  const folder = resolve('node_modules/.cache/flotilla');
  await mkdir(folder, { recursive: true });
  const outfile = join(await mkdtemp(join(folder, 'crash-')), 'crash-writer.mjs');
  await build({
    entryPoints: [resolve('test/harness/crash-writer.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['classic-level'],
    outfile,
    logLevel: 'error',
  });
  return outfile;
}

async function runUntilKilled(program: string, directory: string, round: number, ledger: CrashLedger): Promise<void> {
  const child = spawn(process.execPath, [program, directory, `${round}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  // Some die while they open the store, most in the midst of writing.
  const acknowledgements = round % 10 === 9 ? -1 : Math.floor(Math.random() * 150);
  if (acknowledgements === -1) killSoon(child, 200);
  let heard = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    ledger.hear(line);
    if (heard++ === acknowledgements) killSoon(child, 6);
  }
  const [code, signal] = await exited;
  if (signal !== 'SIGKILL') throw new Error(`the writer ended by itself: ${code ?? signal}`);
}

/** Not at a moment that the writer's own steps decide. */
function killSoon(child: ChildProcess, withinMilliseconds: number): void {
  setTimeout(() => child.kill('SIGKILL'), Math.random() * withinMilliseconds);
}
