import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

/** A program of this project that writes until it is killed, and prints a line for each acknowledged step. */
export interface KilledProgram {
  /**
   * Runs the program and kills it at a random moment: after a random number of lines or, if `early`, usually before the
   * first line. Throws if the program exits by itself.
   */
  run(args: readonly string[], onLine: (line: string) => void, early: boolean): Promise<void>;
  remove(): Promise<void>;
}

export async function buildKilledProgram(entryPoint: string): Promise<KilledProgram> {
  // The bundle is placed below node_modules, so it finds the native module, which is not part of the bundle.
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
    run: (args, onLine, early) => runUntilKilled(outfile, args, onLine, early),
    remove: () => rm(dirname(outfile), { recursive: true, force: true }),
  };
}

async function runUntilKilled(
  program: string,
  args: readonly string[],
  onLine: (line: string) => void,
  early: boolean,
): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = early ? -1 : Math.floor(Math.random() * 150);
  if (early) killSoon(child, 200);
  let lineCount = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    onLine(line);
    if (lineCount++ === lines) killSoon(child, 6);
  }
  const [code, signal] = await exited;
  if (signal !== 'SIGKILL') throw new Error(`the writer exited by itself: ${code ?? signal}`);
}

/** Kills the process after a random delay, which does not depend on the progress of the writers. */
function killSoon(child: ChildProcess, withinMilliseconds: number): void {
  setTimeout(() => child.kill('SIGKILL'), Math.random() * withinMilliseconds);
}
