import type { Environment } from '../environment.ts';

export interface Colors {
  good(text: string): string;
  bad(text: string): string;
  busy(text: string): string;
  quiet(text: string): string;
  strong(text: string): string;
}

const plain = (text: string): string => text;
const none: Colors = { good: plain, bad: plain, busy: plain, quiet: plain, strong: plain };

const wrapped =
  (code: number) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`;
const some: Colors = {
  good: wrapped(32),
  bad: wrapped(31),
  busy: wrapped(33),
  quiet: wrapped(2),
  strong: wrapped(1),
};

/** Returns colors for a terminal. Returns no colors for a pipe or a dumb terminal, or if NO_COLOR is set. */
export function colorsFor(isScreen: boolean, environment: Environment): Colors {
  const unwanted = (environment.NO_COLOR ?? '') !== '' || environment.TERM === 'dumb';
  return isScreen && !unwanted ? some : none;
}

/** The colors of the phases that tables contain. */
const phases: Readonly<Record<string, keyof Colors>> = {
  Ready: 'good',
  Active: 'good',
  Initialized: 'good',
  Pending: 'busy',
  Sleeping: 'quiet',
  Disabled: 'quiet',
  Expired: 'bad',
  Failed: 'bad',
  Quarantined: 'bad',
};

export function phaseColor(colors: Colors, text: string): (shown: string) => string {
  const name = Object.hasOwn(phases, text) ? phases[text] : undefined;
  return name === undefined ? plain : colors[name];
}
