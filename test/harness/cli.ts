import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = new URL('../../bin/flotilla.js', import.meta.url).pathname;
const completer = new URL('../../bin/kubectl-complete-flotilla.js', import.meta.url).pathname;
const terminal = new URL('./in-terminal.py', import.meta.url).pathname;

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A separate home directory. Its PATH has `flotilla`, an `npx` that runs it, and the kubectl plugin. */
export interface CliHome {
  readonly folder: string;
  readonly env: Record<string, string>;
  /** Runs `flotilla` with pipes and waits for it to exit. */
  run(args: readonly string[], options?: CliOptions): Promise<CliRun>;
  /** Like `run`, but throws on an exit code other than 0. */
  ok(args: readonly string[], options?: CliOptions): Promise<string>;
  /** Runs any program in a pseudo-terminal. */
  inTerminal(command: readonly string[], options?: CliOptions): TerminalRun;
  remove(): void;
}

export interface CliOptions {
  readonly input?: string;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
}

export interface TerminalRun {
  /** Resolves when the output since the previous match contains the pattern. Rejects if the program exits first. */
  waitForOutput(pattern: RegExp): Promise<string>;
  type(text: string): void;
  /** Everything that was shown, including terminal escape sequences. */
  shown(): string;
  readonly ended: Promise<number>;
}

export function cliHome(more: Record<string, string> = {}): CliHome {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-home-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(program, join(bin, 'flotilla'));
  symlinkSync(program, join(bin, 'kubectl-flotilla'));
  symlinkSync(completer, join(bin, 'kubectl_complete-flotilla'));
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    TERM: 'xterm',
    ...more,
  };
  const running = new Set<ChildProcess>();

  function start(command: readonly string[], options: CliOptions): ChildProcess {
    const [name = '', ...args] = command;
    const child = spawn(name, args, { cwd: options.cwd ?? folder, env: { ...env, ...options.env } });
    running.add(child);
    child.once('close', () => running.delete(child));
    return child;
  }

  async function run(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
    const child = start([process.execPath, program, ...args], options);
    const [stdout, stderr] = [collected(child, 'stdout'), collected(child, 'stderr')];
    // If the command reads no input, it may already have exited, and writing to it fails.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
    const code = await endOf(child);
    return { code, stdout: stdout(), stderr: stderr() };
  }

  return {
    folder,
    env,
    run,
    async ok(args, options) {
      const { code, stdout, stderr } = await run(args, options);
      if (code !== 0) throw new Error(`flotilla ${args.join(' ')} exited with ${code}\n${stdout}${stderr}`);
      return stdout;
    },
    inTerminal(command, options = {}) {
      const child = start(['python3', terminal, ...command], options);
      return terminalRun(child);
    },
    remove() {
      for (const child of running) child.kill('SIGKILL');
      // A killed program may still be writing to the folder, so the removal is retried.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Programs start in tenths of a second; a busy machine takes longer. */
const timeoutMs = 30_000;

function terminalRun(child: ChildProcess): TerminalRun {
  let shown = '';
  let matched = 0;
  const looks = new Set<() => void>();
  const take = (chunk: Buffer) => {
    shown += chunk;
    for (const look of looks) look();
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  child.stdin?.on('error', () => {});
  const ended = endOf(child);
  return {
    ended,
    shown: () => shown,
    type: (text) => void child.stdin?.write(text),
    waitForOutput: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(shown.slice(matched));
          if (found === null) return false;
          matched += found.index + found[0].length;
          looks.delete(look);
          resolve(found[0]);
          return true;
        };
        if (look()) return;
        looks.add(look);
        const late = setTimeout(
          () => reject(new Error(`${pattern} was not seen within the timeout:\n${shown}`)),
          timeoutMs,
        );
        late.unref();
        void ended.then((code) => reject(new Error(`exited with ${code} before ${pattern} was seen:\n${shown}`)));
      }),
  };
}

function collected(child: ChildProcess, stream: 'stdout' | 'stderr'): () => string {
  let text = '';
  child[stream]?.on('data', (chunk) => {
    text += chunk;
  });
  return () => text;
}

function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? -1));
  });
}
