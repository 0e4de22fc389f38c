/** The entry that allows all objects. */
const wildcard = '*';

/** The allow list of a project: all objects, or the named ones. */
export interface AllowList {
  readonly all: boolean;
  readonly names: readonly string[];
  /** The default, used if none is specified. */
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

/** Returns the entries for an allow list. Other fields of the previous entries (`before`) are kept. */
export function writeAllowList({ all, names, defaultName }: AllowList, before: readonly Entry[] | undefined): Entry[] {
  const kept = new Map((before ?? []).map((entry) => [entry.name, entry]));
  const entry = (name: string): Entry => {
    const { isDefault: _, ...others } = kept.get(name) ?? { name };
    return name === defaultName && name !== wildcard ? { ...others, isDefault: true } : others;
  };
  // With the wildcard, only the default needs its own entry.
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
