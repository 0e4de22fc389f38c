/** The entry that allows all objects. */
const wildcard = '*';

/** The allow list of a project: all objects, or the named ones. */
export interface Allowed {
  readonly all: boolean;
  readonly names: readonly string[];
  /** The default, used if none is specified. */
  readonly preset: string | undefined;
}

interface Entry {
  kind?: string;
  name: string;
  isDefault?: boolean;
}

export function readAllowed(entries: readonly Entry[] | undefined): Allowed {
  const list = entries ?? [];
  return {
    all: list.some(({ name }) => name === wildcard),
    names: list.filter(({ name }) => name !== wildcard).map(({ name }) => name),
    preset: list.find(({ isDefault }) => isDefault === true)?.name,
  };
}

/** Returns the entries for an allow list. Other fields of the previous entries (`before`) are kept. */
export function writeAllowed({ all, names, preset }: Allowed, before: readonly Entry[] | undefined): Entry[] {
  const kept = new Map((before ?? []).map((entry) => [entry.name, entry]));
  const entry = (name: string): Entry => {
    const { isDefault: _, ...others } = kept.get(name) ?? { name };
    return name === preset && name !== wildcard ? { ...others, isDefault: true } : others;
  };
  // With the wildcard, only the default needs its own entry.
  const named = all ? names.filter((name) => name === preset) : names;
  const needed = preset === undefined || preset === '' || named.includes(preset) || !all ? named : [preset, ...named];
  return [...needed.map(entry), ...(all ? [entry(wildcard)] : [])];
}

export function allows({ all, names }: Allowed, name: string): boolean {
  return all || names.includes(name);
}
