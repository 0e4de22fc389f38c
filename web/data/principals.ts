import type { ColumnDefinition } from '../../src/api/table.ts';
import { cellText } from './list-columns.ts';
import type { RowsSnapshot } from './live-rows.ts';

export type PrincipalKind = 'User' | 'Team';

/** Whom a right, a role or a key can be given to. */
export interface Principal {
  readonly kind: PrincipalKind;
  readonly name: string;
}

/** One that the server knows of. */
export interface KnownPrincipal extends Principal {
  /** What people call it; '' where that is its name. */
  readonly displayName: string;
  readonly email: string;
}

/** Users or teams as rows of a list have them. */
export function knownPrincipals(
  kind: PrincipalKind,
  { columns, rows }: Pick<RowsSnapshot, 'columns' | 'rows'>,
): readonly KnownPrincipal[] {
  const [displayName, email] = ['Display Name', 'Email'].map((name) => placeOf(columns, name));
  return rows.map(({ metadata, cells }) => ({
    kind,
    name: metadata.name ?? '',
    displayName: cellText(cells[displayName ?? -1]),
    email: cellText(cells[email ?? -1]),
  }));
}

function placeOf(columns: readonly ColumnDefinition[], name: string): number {
  return columns.findIndex((column) => column.name === name);
}

export function principalKey({ kind, name }: Principal): string {
  return `${kind}/${name}`;
}

export function principalOf(key: string): Principal {
  const at = key.indexOf('/');
  return { kind: key.slice(0, at) === 'Team' ? 'Team' : 'User', name: key.slice(at + 1) };
}

/** "Anna Smith (anna)", or the name alone. */
export function titleOf({ name, displayName }: Pick<KnownPrincipal, 'name' | 'displayName'>): string {
  return displayName === '' || displayName === name ? name : `${displayName} (${name})`;
}

/** Names of users and teams are names of objects. */
const nameForm = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** More are not read by anybody: the next letter that is typed leaves fewer. */
const mostChoices = 50;

export interface PrincipalChoices {
  /** Those that have all the words somewhere, in the order of the list. */
  readonly found: readonly KnownPrincipal[];
  /** How many more there are that are not among them. */
  readonly more: number;
  /** What was typed, taken as a name that the server shows to others only. */
  readonly unseen: readonly Principal[];
}

export function principalChoices(
  known: readonly KnownPrincipal[],
  words: string,
  allow: readonly PrincipalKind[],
): PrincipalChoices {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = known.filter(
    ({ kind, name, displayName, email }) =>
      allow.includes(kind) && wanted.every((word) => `${name}\n${displayName}\n${email}`.toLowerCase().includes(word)),
  );
  const typed = words.trim();
  const unseen = !nameForm.test(typed)
    ? []
    : allow
        .filter((kind) => !known.some((one) => one.kind === kind && one.name === typed))
        .map((kind) => ({ kind, name: typed }));
  return { found: matching.slice(0, mostChoices), more: Math.max(0, matching.length - mostChoices), unseen };
}
