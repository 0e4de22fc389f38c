import type { SettingsReader } from './settings-reader.ts';

/**
 * The definition of a setting that only a configuration file can set. docs/reference/settings.md is generated from it.
 */
export interface FileSetting<T> {
  /** The allowed values, as the reference page describes them. */
  readonly takes: string;
  readonly default: T;
  /** The default, as the reference page describes it. Optional; defaults to the value. */
  readonly describedDefault?: string;
  readonly meaning: string;
  /** If the setting is a list of maps: the names of their members, with descriptions. */
  readonly members?: Readonly<Record<string, string>>;
  read(group: SettingsReader, name: string): T | undefined;
}

type Values<Group> = { [Name in keyof Group]: Group[Name] extends FileSetting<infer T> ? T : never };

interface SettingDescription<T> {
  readonly default: T;
  readonly meaning: string;
}

export function integerSetting(rules: SettingDescription<number> & { readonly least: number; readonly most?: number }) {
  const { least, most, ...described } = rules;
  return {
    ...described,
    takes: most === undefined ? `an integer of at least ${least}` : `an integer from ${least} to ${most}`,
    read: (group, name) => group.integer(name, least, most),
  } satisfies FileSetting<number>;
}

/** A setting whose default depends on the machine. Its value is `undefined` if the file does not set it. */
export function optionalIntegerSetting(rules: {
  readonly least: number;
  readonly describedDefault: string;
  readonly meaning: string;
}): FileSetting<number | undefined> {
  const { least, ...described } = rules;
  return {
    ...described,
    default: undefined,
    takes: `an integer of at least ${least}`,
    read: (group, name) => group.integer(name, least),
  };
}

export function booleanSetting(rules: SettingDescription<boolean>) {
  return { ...rules, takes: 'true or false', read: (group, name) => group.flag(name) } satisfies FileSetting<boolean>;
}

export function textSetting(rules: SettingDescription<string> & { readonly takes: string }) {
  return { ...rules, read: (group, name) => group.text(name) } satisfies FileSetting<string>;
}

/** A text without a fixed default. Its value is `undefined` if the file does not set it. */
export function optionalTextSetting(rules: {
  readonly takes: string;
  readonly describedDefault: string;
  readonly meaning: string;
}): FileSetting<string | undefined> {
  return { ...rules, default: undefined, read: (group, name) => group.text(name) };
}

export function choiceSetting<T extends string>(
  choices: readonly T[],
  rules: SettingDescription<NoInfer<T>>,
): FileSetting<T> {
  return { ...rules, takes: choices.join(' or '), read: (group, name) => group.choice(name, choices) };
}

export function listSetting<T>(
  rules: SettingDescription<readonly T[]> & {
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

/** Reads the settings of a group, and uses the default for each missing one. Rejects unknown names. */
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
