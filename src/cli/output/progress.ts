import { escapeControlCharacters } from '../../client/escape-controls.ts';
import { formatDuration } from '../input/parse-duration.ts';
import type { Terminal } from './terminal.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMilliseconds = 100;
const clearLine = '\r\u001b[K';

/**
 * Shows the progress of a command. In a terminal, the progress is a single line that is redrawn, until the result
 * replaces it. In a pipe, each step and each message is printed once.
 */
export class Progress {
  readonly #terminal: Terminal;
  readonly #start = performance.now();
  #line = '';
  /** The step that was finished last. A terminal shows it before the message. */
  #step = '';
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Sets the text that describes the current step of the command. */
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

  /** Shows a finished step, with the time since the command started to wait. */
  step(text: string): void {
    if (!this.#terminal.stderrIsScreen) {
      this.done(text);
      return;
    }
    this.#step = `✓ ${text} (${this.#took()})`;
    this.#timer ??= setInterval(() => this.#draw(), frameMilliseconds);
    this.#draw();
  }

  /** Prints the result of the wait, with the time that it took. */
  done(text: string): void {
    const { stderrColors: colors } = this.#terminal;
    this.#print(`${colors.good('✓')} ${text} ${colors.quiet(`(${this.#took()})`)}\n`);
  }

  /** Clears the progress line and stops the timer. Must always be called at the end. */
  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#isLive()) this.#terminal.printToStderr(clearLine);
    this.#line = '';
    this.#step = '';
  }

  #isLive(): boolean {
    return this.#terminal.stderrIsScreen && (this.#line !== '' || this.#step !== '');
  }

  #took(): string {
    return formatDuration(performance.now() - this.#start);
  }

  #print(text: string): void {
    const live = this.#isLive();
    this.#terminal.printToStderr(live ? `${clearLine}${text}` : text);
    if (live) this.#draw();
  }

  #draw(): void {
    const { stderrColors: colors, width } = this.#terminal;
    this.#frame = (this.#frame + 1) % frames.length;
    const maxLength = Math.max(width - 3, 10);
    const line = [this.#step, this.#line].filter((part) => part !== '').join(' · ');
    const shown = line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
    this.#terminal.printToStderr(`${clearLine}${colors.busy(frames[this.#frame] ?? '')} ${shown}`);
  }
}
