import { kinds } from '../../data/kind-ref.ts';

/** The name that stands for all objects in an allow list. */
const wildcard = '*';

/** The clusters or templates that a project allows: all, or only the named ones. */
export interface AllowList {
  readonly all: boolean;
  readonly names: readonly string[];
  /** The default for instances that make no choice; `undefined` if the list has no default. */
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

/** The kind of templates in entries without a kind. */
const defaultKind = kinds.template.kind;

/** Returns the entries of an allow list for templates of a kind. */
export function entriesOf(kind: string, entries: readonly Entry[] | undefined): readonly Entry[] {
  return (entries ?? []).filter((entry) => (entry.kind || defaultKind) === kind);
}

/**
 * Returns the list with the entries for templates of one kind replaced. Entries for templates of other kinds are kept.
 */
export function withEntriesOf(kind: string, allowed: AllowList, before: readonly Entry[] | undefined): Entry[] {
  const own = writeAllowList(allowed, entriesOf(kind, before));
  const others = (before ?? []).filter((entry) => (entry.kind || defaultKind) !== kind);
  return [...own.map((entry) => ({ kind, ...entry })), ...others];
}

/**
 * Returns the entries for an allow list. If a name already has an entry in `before`, the additional fields of that
 * entry are kept.
 */
export function writeAllowList({ all, names, defaultName }: AllowList, before: readonly Entry[] | undefined): Entry[] {
  const kept = new Map((before ?? []).map((entry) => [entry.name, entry]));
  const entry = (name: string): Entry => {
    const { isDefault: _, ...others } = kept.get(name) ?? { name };
    return name === defaultName && name !== wildcard ? { ...others, isDefault: true } : others;
  };
  // The wildcard allows all names, so in addition to the wildcard only the default needs an entry.
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
