import type { ColumnDefinition } from '../../src/api/table.ts';
import { cellText } from './rows/list-columns.ts';
import type { RowsSnapshot } from './rows/live-rows.ts';

export type PrincipalKind = 'User' | 'Team';

/** A user or team. Principals can have permissions, roles and access keys. */
export interface Principal {
  readonly kind: PrincipalKind;
  readonly name: string;
}

/** A principal from the lists of users and teams. These lists contain only the principals that the caller may see. */
export interface KnownPrincipal extends Principal {
  /** The display name; '' if there is none. */
  readonly displayName: string;
  readonly email: string;
}

/** Reads the users or teams from the rows of a list. */
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

export function parsePrincipalKey(key: string): Principal {
  const at = key.indexOf('/');
  return { kind: key.slice(0, at) === 'Team' ? 'Team' : 'User', name: key.slice(at + 1) };
}

/** Returns "Anna Smith (anna)", or only the name if there is no display name. */
export function principalTitle({ name, displayName }: Pick<KnownPrincipal, 'name' | 'displayName'>): string {
  return displayName === '' || displayName === name ? name : `${displayName} (${name})`;
}

/** The syntax of user and team names, which are object names. */
const nameForm = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** The maximum number of search results that are shown. */
const maxChoices = 50;

export interface PrincipalChoices {
  /** The principals that match all search terms, in the order of the list. */
  readonly found: readonly KnownPrincipal[];
  /** The number of matching principals that `found` does not contain. */
  readonly more: number;
  /**
   * The search text itself as the name of a user or team. With it, the user can select a principal that the caller may
   * not list.
   */
  readonly exactNames: readonly Principal[];
}

export function principalChoices(
  known: readonly KnownPrincipal[],
  search: string,
  allow: readonly PrincipalKind[],
): PrincipalChoices {
  const terms = search.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = known.filter(
    ({ kind, name, displayName, email }) =>
      allow.includes(kind) && terms.every((word) => `${name}\n${displayName}\n${email}`.toLowerCase().includes(word)),
  );
  const typed = search.trim();
  const unseen = !nameForm.test(typed)
    ? []
    : allow
        .filter((kind) => !known.some((one) => one.kind === kind && one.name === typed))
        .map((kind) => ({ kind, name: typed }));
  return { found: matching.slice(0, maxChoices), more: Math.max(0, matching.length - maxChoices), exactNames: unseen };
}
