import type { SettingsReader } from './settings-reader.ts';

/** A setting that only a configuration file gives, as data: the reference pages are made from it too. */
export interface FileSetting<T> {
  /** What may be given, in words. */
  readonly takes: string;
  readonly default: T;
  readonly meaning: string;
  /** What stands in an entry of a list, and what each means. */
  readonly members?: Readonly<Record<string, string>>;
  read(group: SettingsReader, name: string): T | undefined;
}

type Values<Group> = { [Name in keyof Group]: Group[Name] extends FileSetting<infer T> ? T : never };

interface Described<T> {
  readonly default: T;
  readonly meaning: string;
}

export function integer(rules: Described<number> & { readonly least: number; readonly most?: number }) {
  const { least, most, ...described } = rules;
  return {
    ...described,
    takes: most === undefined ? `a whole number from ${least} on` : `a whole number from ${least} to ${most}`,
    read: (group, name) => group.integer(name, least, most),
  } satisfies FileSetting<number>;
}

export function flag(rules: Described<boolean>) {
  return { ...rules, takes: 'true or false', read: (group, name) => group.flag(name) } satisfies FileSetting<boolean>;
}

export function text(rules: Described<string> & { readonly takes: string }) {
  return { ...rules, read: (group, name) => group.text(name) } satisfies FileSetting<string>;
}

export function choice<T extends string>(choices: readonly T[], rules: Described<NoInfer<T>>): FileSetting<T> {
  return { ...rules, takes: choices.join(' or '), read: (group, name) => group.choice(name, choices) };
}

export function list<T>(
  rules: Described<readonly T[]> & {
    readonly members: Readonly<Record<keyof T & string, string>>;
    entry(reader: SettingsReader): T;
  },
): FileSetting<readonly T[]> {
  const { entry, ...described } = rules;
  return {
    ...described,
    takes: 'a list of maps',
    read: (group, name) =>
      group.groups(name)?.map((reader) => {
        const value = entry(reader);
        reader.finish();
        return value;
      }),
  };
}

/** The settings below one name, each given or as it is by default. Whatever else stands there is refused. */
export function readGroup<Group extends Readonly<Record<string, FileSetting<unknown>>>>(
  file: SettingsReader,
  name: string,
  settings: Group,
): Values<Group> {
  const group = file.group(name);
  const values = Object.entries(settings).map(([key, setting]) => [key, setting.read(group, key) ?? setting.default]);
  group.finish();
  return Object.fromEntries(values) as Values<Group>;
}
