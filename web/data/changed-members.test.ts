import { expect, test } from 'vitest';
import { changedMembers } from './changed-members.ts';

test('only what is another is sent, so that what somebody else changed meanwhile stays', () => {
  const before = { displayName: 'Shop', description: null, groups: ['a'], owner: { user: 'ana', team: null } };
  expect(changedMembers(before, { ...before, groups: ['a'], owner: { user: 'ana', team: null } })).toEqual({});
  expect(changedMembers(before, { ...before, displayName: null as unknown as string, groups: ['a', 'b'] })).toEqual({
    displayName: null,
    groups: ['a', 'b'],
  });
});
