/** The name in an allow list that stands for all objects. */
const wildcard = '*';

/** The clusters or templates that a project allows: all of them, or only the named ones. */
export interface AllowList {
  readonly all: boolean;
  readonly names: readonly string[];
  /** The name that a virtual cluster uses if it specifies none; `undefined` if the list has no default. */
  readonly defaultName: string | undefined;
}

interface Entry {
  kind?: string;
  name: string;
  isDefault?: boolean;
}

export function readAllowList(entries: readonly Entry[] | undefined): AllowList {
  const list = entries ?? [];
  return {
    all: list.some(({ name }) => name === wildcard),
    names: list.filter(({ name }) => name !== wildcard).map(({ name }) => name),
    defaultName: list.find(({ isDefault }) => isDefault === true)?.name,
  };
}

/** Returns the entries for an allow list. Other fields of the previous entries in `before` are kept. */
export function writeAllowList({ all, names, defaultName }: AllowList, before: readonly Entry[] | undefined): Entry[] {
  const kept = new Map((before ?? []).map((entry) => [entry.name, entry]));
  const entry = (name: string): Entry => {
    const { isDefault: _, ...others } = kept.get(name) ?? { name };
    return name === defaultName && name !== wildcard ? { ...others, isDefault: true } : others;
  };
  // The wildcard allows all names, so only the default needs its own entry.
  const named = all ? names.filter((name) => name === defaultName) : names;
  const needed =
    defaultName === undefined || defaultName === '' || named.includes(defaultName) || !all
      ? named
      : [defaultName, ...named];
  return [...needed.map(entry), ...(all ? [entry(wildcard)] : [])];
}

export function isAllowed({ all, names }: AllowList, name: string): boolean {
  return all || names.includes(name);
}
