/** The entry that stands for all there are. */
const every = '*';

/** What a project allows: everything, or the things of these names. */
export interface Allowed {
  readonly all: boolean;
  readonly names: readonly string[];
  /** The one that is taken where none is named. */
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
    all: list.some(({ name }) => name === every),
    names: list.filter(({ name }) => name !== every).map(({ name }) => name),
    preset: list.find(({ isDefault }) => isDefault === true)?.name,
  };
}

/** The entries that say this; whatever else an entry of that name said (`before`) it goes on saying. */
export function writeAllowed({ all, names, preset }: Allowed, before: readonly Entry[] | undefined): Entry[] {
  const kept = new Map((before ?? []).map((entry) => [entry.name, entry]));
  const entry = (name: string): Entry => {
    const { isDefault: _, ...others } = kept.get(name) ?? { name };
    return name === preset && name !== every ? { ...others, isDefault: true } : others;
  };
  // Beside "all" only the default needs a line of its own.
  const named = all ? names.filter((name) => name === preset) : names;
  const needed = preset === undefined || preset === '' || named.includes(preset) || !all ? named : [preset, ...named];
  return [...needed.map(entry), ...(all ? [entry(every)] : [])];
}

export function allows({ all, names }: Allowed, name: string): boolean {
  return all || names.includes(name);
}
