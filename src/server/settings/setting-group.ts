import { isAddressRange } from '../../auth/address-ranges.ts';
import type { SettingsReader } from './settings-reader.ts';

/**
 * The definition of a setting that only a configuration file can set. docs/reference/settings.md is generated from it.
 */
export interface FileSetting<T> {
  /** The allowed values, as the reference page describes them. */
  readonly takes: string;
  readonly default: T;
  /** The description of the default on the reference page. Optional; by default, the page shows the default value. */
  readonly describedDefault?: string;
  readonly meaning: string;
  /** If the setting is a list of maps: the names of their members, with descriptions. */
  readonly members?: Readonly<Record<string, string>>;
  /**
   * If the setting is a map of settings: their definitions. The reference page lists these settings instead of the map.
   */
  readonly settings?: Readonly<Record<string, FileSetting<unknown>>>;
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

/** A number from 0 to 1. */
export function ratioSetting(rules: SettingDescription<number>): FileSetting<number> {
  return { ...rules, takes: 'a number from 0 to 1', read: (group, name) => group.number(name, 0, 1) };
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

/** A list of texts. `check` throws if an entry is invalid. */
export function textsSetting(
  rules: SettingDescription<readonly string[]> & { readonly takes: string; check(text: string): void },
): FileSetting<readonly string[]> {
  const { check, ...described } = rules;
  return {
    ...described,
    read(group, name) {
      const texts = group.texts(name);
      for (const text of texts ?? []) check(text);
      return texts;
    },
  };
}

export function choiceSetting<T extends string>(
  choices: readonly T[],
  rules: SettingDescription<NoInfer<T>>,
): FileSetting<T> {
  return { ...rules, takes: choices.join(' or '), read: (group, name) => group.choice(name, choices) };
}

/** A list of texts. `validate` returns the problem of an entry; `undefined` if the entry is valid. */
export function textListSetting(
  rules: SettingDescription<readonly string[]> & {
    readonly takes: string;
    validate(entry: string): string | undefined;
  },
): FileSetting<readonly string[]> {
  const { validate, ...described } = rules;
  return { ...described, read: (group, name) => group.texts(name, validate) };
}

/** A choice without a fixed default. Its value is `undefined` if the file does not set it. */
export function optionalChoiceSetting<T extends string>(
  choices: readonly T[],
  rules: { readonly describedDefault: string; readonly meaning: string },
): FileSetting<T | undefined> {
  return {
    ...rules,
    default: undefined,
    takes: choices.join(' or '),
    read: (group, name) => group.choice(name, choices),
  };
}

/** A list of IP addresses and address ranges. */
export function addressListSetting(rules: SettingDescription<readonly string[]>): FileSetting<readonly string[]> {
  return textListSetting({
    ...rules,
    takes: 'a list of IP addresses and ranges such as `10.0.0.0/8`',
    validate: (range) => (isAddressRange(range) ? undefined : 'is not an IP address or a range such as 10.0.0.0/8'),
  });
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

/** A map of settings within a group, such as `auth.password`. */
export function nestedSettings<Group extends Readonly<Record<string, FileSetting<unknown>>>>(
  settings: Group,
): FileSetting<Values<Group>> {
  const defaults = Object.entries(settings).map(([name, setting]) => [name, setting.default]);
  return {
    takes: 'a map',
    meaning: 'see its settings',
    default: Object.fromEntries(defaults) as Values<Group>,
    settings,
    read: (group, name) => readGroup(group, name, settings),
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
