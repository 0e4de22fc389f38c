import type { OffboardingItem } from '../../../src/api/management/v1/subresources/user-offboarding.ts';

type Action = OffboardingItem['action'];

/** The actions in the order of the page: what changes first, what stays last. */
const actions: readonly Action[] = ['Disable', 'Delete', 'Transfer', 'RemoveAccess', 'Revoke', 'End', 'Keep'];

/** The name of each action in a plan, and in the result. */
export const actionTexts: Readonly<Record<Action, { readonly planned: string; readonly done: string }>> = {
  Disable: { planned: 'Disable', done: 'Disabled' },
  Delete: { planned: 'Delete', done: 'Deleted' },
  Transfer: { planned: 'Transfer', done: 'Transferred' },
  RemoveAccess: { planned: 'Remove access', done: 'Removed access' },
  Revoke: { planned: 'Revoke', done: 'Revoked' },
  End: { planned: 'Ends', done: 'Ended' },
  Keep: { planned: 'Keep', done: 'Kept' },
};

export interface ActionCount {
  readonly action: Action;
  readonly count: number;
}

/** Returns the number of items of each action that occurs. */
export function countActions(items: readonly OffboardingItem[]): readonly ActionCount[] {
  const counts = new Map<Action, number>();
  for (const { action } of items) counts.set(action, (counts.get(action) ?? 0) + 1);
  return actions.flatMap((action) => {
    const count = counts.get(action);
    return count === undefined ? [] : [{ action, count }];
  });
}
