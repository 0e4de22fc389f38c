import { describe, expect, it } from 'vitest';
import { differenceGroups, differences } from './differences.ts';

describe('The differences from kube-apiserver', () => {
  const all = differenceGroups.flatMap(([, group]) => group);

  it('have distinct ids; otherwise one that occurs would stand for another that does not', () => {
    const ids = all.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('are in the reference, those of all kinds first', () => {
    expect(all.slice(0, differences.length)).toEqual(differences);
    expect(all.filter(({ theirs, ours, because }) => theirs === '' || ours === '' || because === '')).toEqual([]);
  });
});
