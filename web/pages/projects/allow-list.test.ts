import { describe, expect, it } from 'vitest';
import { entriesOf, isAllowed, readAllowList, withEntriesOf, writeAllowList } from './allow-list.ts';

const kind = 'VirtualClusterTemplate';

describe('the allow list of a project', () => {
  it('allows everything with a star entry, and nothing without entries', () => {
    expect(readAllowList([{ name: 'small', isDefault: true }, { name: '*' }])).toEqual({
      all: true,
      names: ['small'],
      defaultName: 'small',
    });
    expect(isAllowed(readAllowList([{ name: '*' }]), 'anything')).toBe(true);
    expect(isAllowed(readAllowList(undefined), 'anything')).toBe(false);
    expect(isAllowed(readAllowList([{ name: 'a' }]), 'a')).toBe(true);
  });

  it('is written with one default, which is never the star, and keeps other fields of entries', () => {
    const before = [{ kind, name: 'small', isDefault: true }, { name: 'large' }];
    expect(writeAllowList({ all: false, names: ['small', 'large'], defaultName: 'large' }, before)).toEqual([
      { kind, name: 'small' },
      { name: 'large', isDefault: true },
    ]);
    expect(writeAllowList({ all: true, names: ['small', 'large'], defaultName: undefined }, before)).toEqual([
      { name: '*' },
    ]);
    expect(writeAllowList({ all: true, names: [], defaultName: 'small' }, before)).toEqual([
      { kind, name: 'small', isDefault: true },
      { name: '*' },
    ]);
    expect(writeAllowList({ all: true, names: [], defaultName: '*' }, [])).not.toContainEqual(
      expect.objectContaining({ isDefault: true }),
    );
  });

  it('can be changed for one kind of templates without changing the other', () => {
    const before = [{ name: 'small' }, { kind, name: '*' }, { kind: 'SpaceTemplate', name: '*' }];
    expect(entriesOf(kind, before)).toEqual([{ name: 'small' }, { kind, name: '*' }]);
    expect(entriesOf('SpaceTemplate', before)).toEqual([{ kind: 'SpaceTemplate', name: '*' }]);
    const none = { all: false, names: [], defaultName: undefined };
    expect(withEntriesOf(kind, none, before)).toEqual([{ kind: 'SpaceTemplate', name: '*' }]);
    expect(withEntriesOf('SpaceTemplate', { ...none, names: ['quiet'], defaultName: 'quiet' }, before)).toEqual([
      { kind: 'SpaceTemplate', name: 'quiet', isDefault: true },
      { name: 'small' },
      { kind, name: '*' },
    ]);
  });

  it('round-trips', () => {
    for (const allowed of [
      { all: false, names: ['a', 'b'], defaultName: 'b' },
      { all: false, names: [], defaultName: undefined },
      { all: true, names: ['a'], defaultName: 'a' },
      { all: true, names: [], defaultName: undefined },
    ]) {
      expect(readAllowList(writeAllowList(allowed, []))).toEqual(allowed);
    }
  });
});
