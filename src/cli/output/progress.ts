import { shortDuration } from '../input/parse-duration.ts';
import { printable } from './printable.ts';
import type { Terminal } from './terminal.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMilliseconds = 100;
const clearLine = '\r\u001b[K';

/**
 * Shows what a command waits for. On a screen one line is redrawn below the finished steps; in a pipe each message is
 * printed once.
 */
export class Progress {
  readonly #terminal: Terminal;
  readonly #start = performance.now();
  #line = '';
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Shows what the command waits for. */
  busy(text: string): void {
    const line = printable(text.replaceAll(/\s+/g, ' '));
    if (line === this.#line) return;
    this.#line = line;
    if (!this.#terminal.remarksToScreen) {
      this.#terminal.remark(`  ${line}\n`);
      return;
    }
    this.#timer ??= setInterval(() => this.#draw(), frameMilliseconds);
    this.#draw();
  }

  /** Reports a finished step, with the time since the start. */
  done(text: string): void {
    const { remarkColours: colours } = this.#terminal;
    const took = colours.quiet(`(${shortDuration(performance.now() - this.#start)})`);
    this.#print(`${colours.good('✓')} ${text} ${took}\n`);
  }

  /** Clears the progress line and stops the timer. Callers must call it in every case. */
  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#line !== '' && this.#terminal.remarksToScreen) this.#terminal.remark(clearLine);
    this.#line = '';
  }

  #print(text: string): void {
    const live = this.#terminal.remarksToScreen && this.#line !== '';
    this.#terminal.remark(live ? `${clearLine}${text}` : text);
    if (live) this.#draw();
  }

  #draw(): void {
    const { remarkColours: colours, width } = this.#terminal;
    this.#frame = (this.#frame + 1) % frames.length;
    const maxLength = Math.max(width - 3, 10);
    const shown = this.#line.length > maxLength ? `${this.#line.slice(0, maxLength - 1)}…` : this.#line;
    this.#terminal.remark(`${clearLine}${colours.busy(frames[this.#frame] ?? '')} ${shown}`);
  }
}
