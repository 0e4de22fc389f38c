import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { StartError } from '../../process/start-error.ts';

/**
 * Reads settings by name from one map of a configuration file. `finish` rejects names that were not read. A name may be
 * written as in the flags (`data-dir`) or in camel case (`dataDir`).
 */
export class SettingsReader {
  readonly #file: string;
  readonly #path: string;
  readonly #members = new Map<string, { written: string; value: JsonValue }>();

  constructor(file: string, members: JsonObject, path = '') {
    this.#file = file;
    this.#path = path;
    for (const [written, value] of Object.entries(members)) {
      const name = written.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
      if (this.#members.has(name)) throw this.#fault(written, 'is set twice');
      this.#members.set(name, { written, value });
    }
  }

  /** Returns a string. `validate` returns the problem of the string, as the end of a sentence about the setting. */
  text(name: string, validate: (text: string) => string | undefined = () => undefined): string | undefined {
    const text = this.#take(name, 'a string', (value) => (typeof value === 'string' ? value : undefined));
    const problem = text === undefined ? undefined : validate(text);
    if (problem !== undefined) throw this.#fault(name, problem);
    return text;
  }

  integer(name: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
    return this.#take(name, `an integer from ${least} to ${most}`, (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most ? value : undefined,
    );
  }

  number(name: string, least: number, most: number): number | undefined {
    return this.#take(name, `a number from ${least} to ${most}`, (value) =>
      typeof value === 'number' && value >= least && value <= most ? value : undefined,
    );
  }

  flag(name: string): boolean | undefined {
    return this.#take(name, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined));
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    return this.#take(name, `one of ${choices.join(', ')}`, (value) => choices.find((each) => each === value));
  }

  /**
   * Returns a list of strings. The file may contain a single string for a list with one entry. `validate` returns the
   * problem of an entry, as the end of a sentence about the entry.
   */
  texts(
    name: string,
    validate: (entry: string) => string | undefined = () => undefined,
  ): readonly string[] | undefined {
    const list = this.#take(name, 'a list of strings', (value) => {
      if (typeof value === 'string') return [value];
      return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;
    });
    for (const entry of list ?? []) {
      const problem = validate(entry);
      if (problem !== undefined) throw this.#fault(name, `contains ${JSON.stringify(entry)}, which ${problem}`);
    }
    return list;
  }

  /**
   * Returns a map whose members are values of any kind. `validate` returns the problem of the map, as the end of a
   * sentence.
   */
  map(name: string, validate: (map: JsonObject) => string | undefined): JsonObject | undefined {
    const map = this.#take(name, 'a map', (value) => (isJsonObject(value) ? value : undefined));
    const problem = map && validate(map);
    if (problem !== undefined) throw this.#fault(name, problem);
    return map;
  }

  /** Returns a reader for the settings below this name. The reader is empty if there are none. */
  group(name: string): SettingsReader {
    const members = this.#take(name, 'a map of settings', (value) => (isJsonObject(value) ? value : undefined));
    return new SettingsReader(this.#file, members ?? {}, this.#at(name));
  }

  groups(name: string): readonly SettingsReader[] | undefined {
    const list = this.#take(name, 'a list of maps', (value) =>
      Array.isArray(value) && value.every(isJsonObject) ? value : undefined,
    );
    return list?.map((members, index) => new SettingsReader(this.#file, members, `${this.#at(name)}[${index}]`));
  }

  /** Rejects unknown settings. Must be called after all known settings were read. */
  finish(): void {
    const [unknown] = this.#members.values();
    if (unknown !== undefined) throw this.#fault(unknown.written, 'is not a known setting');
  }

  /** Reads a setting and marks it as known. A name without a value (`listen:`) counts as absent. */
  #take<T>(name: string, wanted: string, read: (value: JsonValue) => T | undefined): T | undefined {
    const member = this.#members.get(name);
    this.#members.delete(name);
    if (member === undefined || member.value === null) return undefined;
    const result = read(member.value);
    if (result === undefined) throw this.#fault(member.written, `must be ${wanted}`);
    return result;
  }

  #at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  #fault(name: string, what: string): StartError {
    return new StartError(`${this.#file}: "${this.#at(name)}" ${what}`);
  }
}
