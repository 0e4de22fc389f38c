import { spawn } from 'node:child_process';
import type { Clock } from '../../../lib/clock.ts';
import { errorCode } from '../../../lib/private-file.ts';

export interface HelmRun {
  readonly program: string;
  /** The arguments of helm. They must not contain secrets, because process lists show them. */
  readonly arguments: readonly string[];
  /** All environment variables of the process. None are inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** The working directory of the process. */
  readonly folder: string;
  readonly timeoutMilliseconds: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Thrown if helm fails. */
export class HelmFailure extends Error {
  override name = 'HelmFailure';
  /** `missing` means that helm could not be started, and `late` that it exceeded the timeout. */
  readonly kind: 'missing' | 'late' | 'failed';
  /** The last lines of helm's error output, or the reason why helm could not be started. */
  readonly output: string;

  constructor(kind: HelmFailure['kind'], output: string) {
    super(output);
    this.kind = kind;
    this.output = output;
  }
}

/**
 * The time between SIGTERM and SIGKILL. Helm needs this time to leave the release in a consistent state. The time is
 * about half of the time that the server has for its own shutdown.
 */
const gracePeriodMs = 5_000;
/** Maximum number of characters of the error output that are kept. Only its end is needed. */
const maxOutput = 16 * 1024;

/** Runs helm. Rejects with HelmFailure or with the signal's reason, but only after the process has exited. */
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

/** Returns the last error in the output, without the warnings before it. */
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
