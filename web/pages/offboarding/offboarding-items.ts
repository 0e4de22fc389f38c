import type { OffboardingItem } from '../../../src/api/management/v1/subresources/user-offboarding.ts';
import { joinNames, pluralize } from '../../data/format-text.ts';
import { kinds } from '../../data/kind-ref.ts';

type Action = OffboardingItem['action'];

/** The actions in the order of the page: changes first, kept objects last. */
const actions: readonly Action[] = ['Disable', 'Delete', 'Transfer', 'RemoveAccess', 'Revoke', 'End', 'Keep'];

/** The text for each action, before it is performed (in the plan) and afterwards (in the result). */
export const actionTexts: Readonly<Record<Action, { readonly planned: string; readonly done: string }>> = {
  Disable: { planned: 'Disable', done: 'Disabled' },
  Delete: { planned: 'Delete', done: 'Deleted' },
  Transfer: { planned: 'Transfer', done: 'Transferred' },
  RemoveAccess: { planned: 'Remove access', done: 'Removed access' },
  Revoke: { planned: 'Revoke', done: 'Revoked' },
  End: { planned: 'End', done: 'Ended' },
  Keep: { planned: 'Keep', done: 'Kept' },
};

/** The names of kinds whose display name differs from the words in the kind. */
const kindNames: Readonly<Record<string, string>> = {
  [kinds.instance.kind]: 'virtual cluster',
  [kinds.space.kind]: 'space',
  [kinds.template.kind]: 'template',
};

/**
 * The texts for kinds whose items are not counted: the user to offboard, and everything that depends on the user's
 * keys.
 */
const uncounted: Readonly<Record<string, string>> = { [kinds.user.kind]: 'the user', Token: 'all tokens' };

/** Returns the name of a kind in lowercase words: "virtual cluster", "access key". */
export function kindText(kind: string): string {
  return kindNames[kind] ?? kind.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

/**
 * Returns one line for each action of an offboarding, such as "Transfer 2 virtual clusters and 1 space". Actions that
 * change something come first.
 */
export function summarizeItems(items: readonly OffboardingItem[], tense: 'planned' | 'done'): readonly string[] {
  const counts = new Map<Action, Map<string, number>>();
  for (const { action, kind } of items) {
    const byKind = counts.get(action) ?? new Map<string, number>();
    counts.set(action, byKind.set(kind, (byKind.get(kind) ?? 0) + 1));
  }
  return actions.flatMap((action) => {
    const byKind = counts.get(action);
    if (byKind === undefined) return [];
    const parts = [...byKind].map(([kind, count]) => uncounted[kind] ?? pluralize(count, kindText(kind)));
    return [`${actionTexts[action][tense]}${action === 'RemoveAccess' ? ' to' : ''} ${joinNames(parts)}`];
  });
}
