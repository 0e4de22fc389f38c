import { spawn } from 'node:child_process';
import type { Clock } from '../../../lib/clock.ts';
import { errorCode } from '../../../lib/private-file.ts';

export interface HelmRun {
  readonly program: string;
  /** Visible in process lists: never a secret. */
  readonly arguments: readonly string[];
  /** The complete environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** The working directory. */
  readonly folder: string;
  readonly timeoutMilliseconds: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A failed run of helm. */
export class HelmFailure extends Error {
  override name = 'HelmFailure';
  /** `missing`: it could not be started. `late`: it timed out. */
  readonly kind: 'missing' | 'late' | 'failed';
  /** The last lines of its output, or why it could not be started. */
  readonly output: string;

  constructor(how: HelmFailure['kind'], words: string) {
    super(words);
    this.kind = how;
    this.output = words;
  }
}

/**
 * The time for helm to exit after SIGTERM and leave the release in a consistent state; then it is killed. A draining
 * server waits twice as long.
 */
const gracePeriodMs = 5_000;
/** Only the end of the output matters, not a rendered chart. */
const maxOutput = 16 * 1024;

/** Rejects with HelmFailure or with the signal's reason. Settles only when the process has exited. */
export async function runHelm(run: HelmRun): Promise<void> {
  const { program, folder, clock, signal } = run;
  signal.throwIfAborted();
  const child = spawn(program, [...run.arguments], {
    cwd: folder,
    env: { ...run.environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    output = `${output}${text}`.slice(-maxOutput);
  });
  let hasTimedOut = false;
  let cancelKill = () => {};
  const terminate = () => {
    child.kill('SIGTERM');
    cancelKill = clock.after(gracePeriodMs, () => child.kill('SIGKILL'));
  };
  const cancelTimeout = clock.after(run.timeoutMilliseconds, () => {
    hasTimedOut = true;
    terminate();
  });
  signal.addEventListener('abort', terminate, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code === 0) return;
  } catch (error) {
    throw new HelmFailure('missing', errorCode(error) ?? String(error));
  } finally {
    cancelTimeout();
    cancelKill();
    signal.removeEventListener('abort', terminate);
  }
  signal.throwIfAborted();
  throw new HelmFailure(hasTimedOut ? 'late' : 'failed', lastError(output));
}

const maxLines = 8;
const maxCharacters = 1_000;

/** The last error in the output, without the warnings before it. */
function lastError(output: string): string {
  const lines = output.split('\n').map((line) => line.trimEnd());
  const error = lines.findLastIndex((line) => line.startsWith('Error: '));
  const relevant = (error < 0 ? lines : lines.slice(error)).filter((line) => line !== '');
  const words = relevant
    .slice(-maxLines)
    .join('\n')
    .replace(/^Error: /, '');
  return words.length > maxCharacters ? `…${words.slice(-maxCharacters)}` : words;
}
