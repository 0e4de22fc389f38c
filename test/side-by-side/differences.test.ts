import { describe, expect, it } from 'vitest';
import { differenceGroups, differences } from './differences.ts';

describe('The differences from kube-apiserver', () => {
  const all = differenceGroups.flatMap(([, group]) => group);

  it('are told apart by their ids, or one that is met would stand for another that is not', () => {
    const ids = all.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('are in the reference, those of any kind first', () => {
    expect(all.slice(0, differences.length)).toEqual(differences);
    expect(all.filter(({ theirs, ours, because }) => theirs === '' || ours === '' || because === '')).toEqual([]);
  });
});
