import { shortDuration } from '../input/parse-duration.ts';
import { printable } from './printable.ts';
import type { Terminal } from './terminal.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMilliseconds = 100;
const clearLine = '\r\u001b[K';

/**
 * What is going on, for whoever waits. On a screen one line moves under what is done already; in a pipe each thing is
 * said once, when it happens.
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

  /** Says what is being waited for. */
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

  /** Something came true; it took so long from the beginning. */
  done(text: string): void {
    const { remarkColours: colours } = this.#terminal;
    const took = colours.quiet(`(${shortDuration(performance.now() - this.#start)})`);
    this.#say(`${colours.good('✓')} ${text} ${took}\n`);
  }

  /** Leaves the screen as it should be; whoever began must end, whatever happened. */
  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#line !== '' && this.#terminal.remarksToScreen) this.#terminal.remark(clearLine);
    this.#line = '';
  }

  #say(text: string): void {
    const live = this.#terminal.remarksToScreen && this.#line !== '';
    this.#terminal.remark(live ? `${clearLine}${text}` : text);
    if (live) this.#draw();
  }

  #draw(): void {
    const { remarkColours: colours, width } = this.#terminal;
    this.#frame = (this.#frame + 1) % frames.length;
    const room = Math.max(width - 3, 10);
    const shown = this.#line.length > room ? `${this.#line.slice(0, room - 1)}…` : this.#line;
    this.#terminal.remark(`${clearLine}${colours.busy(frames[this.#frame] ?? '')} ${shown}`);
  }
}
