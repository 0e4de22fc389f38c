import { spawn } from 'node:child_process';
import type { Clock } from '../../lib/clock.ts';
import { errorCode } from '../../lib/private-file.ts';

export interface HelmRun {
  readonly program: string;
  /** Seen by whoever lists processes: never a secret. */
  readonly arguments: readonly string[];
  /** Everything that it sees of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** The working directory. */
  readonly folder: string;
  readonly timeoutMilliseconds: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Why helm has not done what it was to do. */
export class HelmFailure extends Error {
  override name = 'HelmFailure';
  /** `missing`: it could not be started. */
  readonly how: 'missing' | 'late' | 'failed';
  /** The last lines that it wrote, or why it could not be started. */
  readonly words: string;

  constructor(how: HelmFailure['how'], words: string) {
    super(words);
    this.how = how;
    this.words = words;
  }
}

/**
 * It ends by itself when it is asked to, and leaves the release in order; one that does not is ended. A server that drains
 * has twice this time.
 */
const graceMilliseconds = 5_000;
/** The end of what it writes is of interest, not a rendered chart. */
const longestOutput = 16 * 1024;

/** Rejects with HelmFailure, or with the signal's reason. Settles only when the program has ended. */
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
    output = `${output}${text}`.slice(-longestOutput);
  });
  let isLate = false;
  let cancelKill = () => {};
  const end = () => {
    child.kill('SIGTERM');
    cancelKill = clock.after(graceMilliseconds, () => child.kill('SIGKILL'));
  };
  const cancelTimeout = clock.after(run.timeoutMilliseconds, () => {
    isLate = true;
    end();
  });
  signal.addEventListener('abort', end, { once: true });
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
    signal.removeEventListener('abort', end);
  }
  signal.throwIfAborted();
  throw new HelmFailure(isLate ? 'late' : 'failed', lastWords(output));
}

const mostLines = 8;
const mostCharacters = 1_000;

/** Without the warnings that come before an error. */
function lastWords(output: string): string {
  const lines = output.split('\n').map((line) => line.trimEnd());
  const error = lines.findLastIndex((line) => line.startsWith('Error: '));
  const told = (error < 0 ? lines : lines.slice(error)).filter((line) => line !== '');
  const words = told
    .slice(-mostLines)
    .join('\n')
    .replace(/^Error: /, '');
  return words.length > mostCharacters ? `…${words.slice(-mostCharacters)}` : words;
}
