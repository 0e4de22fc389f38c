import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

/** A program of our own that writes until it is killed, and prints a line for each thing that it was told is done. */
export interface KilledProgram {
  /**
   * Runs it and kills it at a random moment: once it has said a random number of lines, or, where `early`, as a rule
   * before it has said any. Throws if it ends by itself.
   */
  run(args: readonly string[], hear: (line: string) => void, early: boolean): Promise<void>;
  remove(): Promise<void>;
}

export async function buildKilledProgram(entryPoint: string): Promise<KilledProgram> {
  // Beneath node_modules, so that the bundle finds the native module that it leaves out.
  const folder = resolve('node_modules/.cache/flotilla');
  await mkdir(folder, { recursive: true });
  const outfile = join(await mkdtemp(join(folder, 'crash-')), `${basename(entryPoint, '.ts')}.mjs`);
  await build({
    entryPoints: [resolve(entryPoint)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['classic-level'],
    outfile,
    logLevel: 'error',
  });
  return {
    run: (args, hear, early) => runUntilKilled(outfile, args, hear, early),
    remove: () => rm(dirname(outfile), { recursive: true, force: true }),
  };
}

async function runUntilKilled(
  program: string,
  args: readonly string[],
  hear: (line: string) => void,
  early: boolean,
): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = early ? -1 : Math.floor(Math.random() * 150);
  if (early) killSoon(child, 200);
  let heard = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    hear(line);
    if (heard++ === lines) killSoon(child, 6);
  }
  const [code, signal] = await exited;
  if (signal !== 'SIGKILL') throw new Error(`the writer ended by itself: ${code ?? signal}`);
}

/** Not at a moment that the writer's own steps decide. */
function killSoon(child: ChildProcess, withinMilliseconds: number): void {
  setTimeout(() => child.kill('SIGKILL'), Math.random() * withinMilliseconds);
}
