import { expect, test } from 'vitest';
import { changedMembers } from './changed-members.ts';

test('only changed members are sent, so that concurrent changes by others are kept', () => {
  const before = { displayName: 'Shop', description: null, groups: ['a'], owner: { user: 'ana', team: null } };
  expect(changedMembers(before, { ...before, groups: ['a'], owner: { user: 'ana', team: null } })).toEqual({});
  expect(changedMembers(before, { ...before, displayName: null as unknown as string, groups: ['a', 'b'] })).toEqual({
    displayName: null,
    groups: ['a', 'b'],
  });
});
