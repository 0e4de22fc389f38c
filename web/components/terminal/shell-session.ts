import type { Terminal } from '@xterm/xterm';
import { backoffDelay } from '../../../src/lib/backoff.ts';
import { browserClock } from '../../data/browser-clock.ts';
import { errorMessage } from '../error-notice.tsx';
import { displayedText } from '../log/log-lines.ts';
import { ExecConnection, type ExecEnd, type ExecTarget } from './exec-connection.ts';
import type { ExecExit, TerminalSize } from './exec-frames.ts';
import { OutputQueue } from './output-queue.ts';

export type ShellState =
  | { readonly type: 'connecting' | 'open' }
  /** The shell ended or was refused. `text` is the exit code or the reason. */
  | { readonly type: 'ended'; readonly text: string }
  /** The connection is lost. `retries` is true if the session will reconnect by itself. */
  | { readonly type: 'lost'; readonly retries: boolean };

export interface ShellSessionOptions {
  readonly target: ExecTarget;
  readonly terminal: Pick<Terminal, 'write' | 'writeln' | 'cols' | 'rows'>;
  onState(state: ShellState): void;
}

/**
 * The delays before a lost connection is opened again: at least three seconds. During the delay, the page learns
 * whether the virtual cluster fell asleep. A sleeping virtual cluster must not be woken, so the connection is then not
 * opened again.
 */
const retry = { initialMilliseconds: 6_000, maxMilliseconds: 20_000 };
const maxRetries = 10;

/** A shell in a container. After a lost connection, a new shell is started and a message says so. */
export class ShellSession {
  readonly #options: ShellSessionOptions;
  readonly #output: OutputQueue;
  #connection: ExecConnection | undefined;
  #cancelRetry: (() => void) | undefined;
  #failures = 0;
  #hadShell = false;
  #isActive = true;
  #isLost = false;

  constructor(options: ShellSessionOptions) {
    this.#options = options;
    this.#output = new OutputQueue((data, done) => options.terminal.write(data, done));
  }

  /** Starts a shell. A shell that is already running is not stopped. */
  start(): void {
    const { target, terminal, onState } = this.#options;
    this.close();
    this.#isLost = false;
    onState({ type: 'connecting' });
    this.#connection = new ExecConnection(target, {
      onOpen: () => this.#opened(),
      onOutput: (bytes) => this.#output.push(bytes),
      onEnd: (end) => this.#ended(end),
    });
    this.#connection.resize({ columns: terminal.cols, rows: terminal.rows });
  }

  write(text: string): void {
    this.#connection?.write(text);
  }

  resize(size: TerminalSize): void {
    this.#connection?.resize(size);
  }

  /** Resumes or stops the retries after a lost connection. */
  setActive(isActive: boolean): void {
    if (isActive === this.#isActive) return;
    this.#isActive = isActive;
    if (!isActive) this.#cancelRetry?.();
    else if (this.#isLost) this.start();
  }

  close(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#connection?.close();
    this.#connection = undefined;
  }

  #opened(): void {
    this.#failures = 0;
    if (this.#hadShell) {
      this.#notice('Connected. This is a new shell: programs of the previous one may have ended.');
    }
    this.#hadShell = true;
    this.#options.onState({ type: 'open' });
  }

  #ended(end: ExecEnd): void {
    const { onState } = this.#options;
    this.#connection = undefined;
    if (end.type === 'exit' || end.type === 'refused') {
      const text = end.type === 'exit' ? exitText(end.exit) : errorMessage(end.error);
      this.#notice(text);
      this.#hadShell = false;
      onState({ type: 'ended', text });
      return;
    }
    this.#isLost = true;
    this.#failures += 1;
    if (end.wasOpen) this.#notice('Connection lost.');
    const retries = this.#failures <= maxRetries;
    onState({ type: 'lost', retries });
    if (!retries) return;
    this.#cancelRetry = browserClock.after(backoffDelay(this.#failures, retry), () => {
      if (this.#isActive) this.start();
    });
  }

  #notice(text: string): void {
    this.#options.terminal.writeln(`\r\n\u001b[0;2m[${displayedText(text)}]\u001b[0m`);
  }
}

/** Returns a sentence about the end of a command. */
export function exitText({ code, message }: ExecExit): string {
  if (code === undefined) return message === '' ? 'The command could not be run.' : message;
  return `The shell ended with exit code ${code}.`;
}
