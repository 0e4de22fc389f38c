import { formatDuration } from '../input/parse-duration.ts';
import { escapeControlCharacters } from './escape-controls.ts';
import type { Terminal } from './terminal.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMilliseconds = 100;
const clearLine = '\r\u001b[K';

/**
 * Shows what a command waits for. In a terminal, one line is redrawn below the finished steps. In a pipe, each message
 * is printed once.
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

  /** Sets the text that describes what the command waits for. */
  busy(text: string): void {
    const line = escapeControlCharacters(text.replaceAll(/\s+/g, ' '));
    if (line === this.#line) return;
    this.#line = line;
    if (!this.#terminal.stderrIsScreen) {
      this.#terminal.printToStderr(`  ${line}\n`);
      return;
    }
    this.#timer ??= setInterval(() => this.#draw(), frameMilliseconds);
    this.#draw();
  }

  /** Prints a finished step, with the time since the command started to wait. */
  done(text: string): void {
    const { stderrColors: colors } = this.#terminal;
    const took = colors.quiet(`(${formatDuration(performance.now() - this.#start)})`);
    this.#print(`${colors.good('✓')} ${text} ${took}\n`);
  }

  /** Clears the progress line and stops the timer. Must always be called at the end. */
  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#line !== '' && this.#terminal.stderrIsScreen) this.#terminal.printToStderr(clearLine);
    this.#line = '';
  }

  #print(text: string): void {
    const live = this.#terminal.stderrIsScreen && this.#line !== '';
    this.#terminal.printToStderr(live ? `${clearLine}${text}` : text);
    if (live) this.#draw();
  }

  #draw(): void {
    const { stderrColors: colors, width } = this.#terminal;
    this.#frame = (this.#frame + 1) % frames.length;
    const maxLength = Math.max(width - 3, 10);
    const shown = this.#line.length > maxLength ? `${this.#line.slice(0, maxLength - 1)}…` : this.#line;
    this.#terminal.printToStderr(`${clearLine}${colors.busy(frames[this.#frame] ?? '')} ${shown}`);
  }
}
