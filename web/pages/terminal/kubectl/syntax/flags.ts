import { KubectlError } from '../kubectl-error.ts';

/** A flag of a command. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /**
   * A `switch` has no value, or `=true` or `=false`. A `list` flag can be repeated, and its value can contain commas.
   */
  readonly type: 'switch' | 'text' | 'list';
  readonly about: string;
  /** The only allowed values. Optional. */
  readonly values?: readonly string[];
}

/** The arguments of a command. */
export class Arguments {
  readonly #values: ReadonlyMap<string, readonly string[]>;
  /** The words that are not flags. */
  readonly words: readonly string[];
  /** The words after `--`; `undefined` if there is no `--`. */
  readonly command: readonly string[] | undefined;

  constructor(
    values: ReadonlyMap<string, readonly string[]>,
    words: readonly string[],
    command: readonly string[] | undefined,
  ) {
    this.#values = values;
    this.words = words;
    this.command = command;
  }

  /** Returns the last value of a flag. */
  text(name: string): string | undefined {
    return this.#values.get(name)?.at(-1);
  }

  isOn(name: string): boolean {
    return this.text(name) === 'true';
  }

  list(name: string): readonly string[] {
    return (this.#values.get(name) ?? []).flatMap((value) => value.split(',')).filter((value) => value !== '');
  }

  /** Returns the value of a flag as a non-negative number. Throws an error for any other value. */
  count(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^\d{1,9}$/.test(text)) throw new KubectlError(`--${name} must be a number, not "${text}"`);
    return Number(text);
  }
}

/** Parses the words after the name of a command, with the syntax of kubectl: `--flag value`, `--flag=value`, `-nweb`. */
export function parseArguments(sent: readonly string[], flags: readonly Flag[]): Arguments {
  const values = new Map<string, string[]>();
  const words: string[] = [];
  const add = ({ name, values: allowed }: Flag, value: string) => {
    if (allowed !== undefined && !allowed.includes(value))
      throw new KubectlError(`--${name}=${value} is not supported; use ${allowed.join(', ')}`);
    values.set(name, [...(values.get(name) ?? []), value]);
  };
  for (let at = 0; at < sent.length; at += 1) {
    const word = sent[at] ?? '';
    if (word === '--') return new Arguments(values, words, sent.slice(at + 1));
    if (!word.startsWith('-') || word === '-') {
      words.push(word);
      continue;
    }
    const next = () => {
      at += 1;
      const value = sent[at];
      if (value === undefined) throw new KubectlError(`${word} needs a value`);
      return value;
    };
    if (word.startsWith('--')) readLong(word.slice(2), flags, add, next);
    else readShort(word.slice(1), flags, add, next);
  }
  return new Arguments(values, words, undefined);
}

type Add = (flag: Flag, value: string) => void;

function readLong(text: string, flags: readonly Flag[], add: Add, next: () => string): void {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const flag = flags.find((each) => each.name === name);
  if (flag === undefined) throw unknownFlag(`--${name}`, flags);
  if (equals >= 0) add(flag, switchValue(flag, text.slice(equals + 1)));
  else add(flag, flag.type === 'switch' ? 'true' : next());
}

/**
 * Reads short flags. Several switches can follow one hyphen, and a value can follow the last flag: `-it`, `-Aw`,
 * `-nweb`, `-n=web`.
 */
function readShort(text: string, flags: readonly Flag[], add: Add, next: () => string): void {
  for (let at = 0; at < text.length; at += 1) {
    const short = text.charAt(at);
    const flag = flags.find((each) => each.short === short);
    if (flag === undefined) throw unknownFlag(`-${short}`, flags);
    const rest = text.slice(at + 1);
    const hasValue = rest.startsWith('=') || flag.type !== 'switch';
    if (!hasValue) {
      add(flag, 'true');
      continue;
    }
    add(flag, rest.startsWith('=') ? switchValue(flag, rest.slice(1)) : rest === '' ? next() : rest);
    return;
  }
}

function switchValue(flag: Flag, value: string): string {
  if (flag.type === 'switch' && value !== 'true' && value !== 'false')
    throw new KubectlError(`--${flag.name} must be true or false, not "${value}"`);
  return value;
}

function unknownFlag(text: string, flags: readonly Flag[]): KubectlError {
  const known = flags.map(({ name, short }) => (short === undefined ? `--${name}` : `-${short}/--${name}`));
  return new KubectlError(`${text} is not supported here; this command has ${known.join(', ') || 'no flags'}`);
}
