import { describe, expect, it } from 'vitest';
import { isAllowed, readAllowList, writeAllowList } from './allow-list.ts';

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
