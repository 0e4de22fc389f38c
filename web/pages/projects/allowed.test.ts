import { describe, expect, it } from 'vitest';
import { allows, readAllowed, writeAllowed } from './allowed.ts';

const kind = 'VirtualClusterTemplate';

describe('the allow list of a project', () => {
  it('allows everything with a star entry, and nothing without entries', () => {
    expect(readAllowed([{ name: 'small', isDefault: true }, { name: '*' }])).toEqual({
      all: true,
      names: ['small'],
      preset: 'small',
    });
    expect(allows(readAllowed([{ name: '*' }]), 'anything')).toBe(true);
    expect(allows(readAllowed(undefined), 'anything')).toBe(false);
    expect(allows(readAllowed([{ name: 'a' }]), 'a')).toBe(true);
  });

  it('is written with one default, which is never the star, and keeps other fields of entries', () => {
    const before = [{ kind, name: 'small', isDefault: true }, { name: 'large' }];
    expect(writeAllowed({ all: false, names: ['small', 'large'], preset: 'large' }, before)).toEqual([
      { kind, name: 'small' },
      { name: 'large', isDefault: true },
    ]);
    expect(writeAllowed({ all: true, names: ['small', 'large'], preset: undefined }, before)).toEqual([{ name: '*' }]);
    expect(writeAllowed({ all: true, names: [], preset: 'small' }, before)).toEqual([
      { kind, name: 'small', isDefault: true },
      { name: '*' },
    ]);
    expect(writeAllowed({ all: true, names: [], preset: '*' }, [])).not.toContainEqual(
      expect.objectContaining({ isDefault: true }),
    );
  });

  it('round-trips', () => {
    for (const allowed of [
      { all: false, names: ['a', 'b'], preset: 'b' },
      { all: false, names: [], preset: undefined },
      { all: true, names: ['a'], preset: 'a' },
      { all: true, names: [], preset: undefined },
    ]) {
      expect(readAllowed(writeAllowed(allowed, []))).toEqual(allowed);
    }
  });
});
