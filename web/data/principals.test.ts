import { describe, expect, it } from 'vitest';
import {
  type KnownPrincipal,
  knownPrincipals,
  type PrincipalKind,
  principalChoices,
  principalKey,
  principalOf,
  titleOf,
} from './principals.ts';

const both: readonly PrincipalKind[] = ['User', 'Team'];

function known(kind: PrincipalKind, name: string, displayName = '', email = ''): KnownPrincipal {
  return { kind, name, displayName, email };
}

const everybody = [
  known('User', 'anna', 'Anna Smith', 'a.smith@example.org'),
  known('User', 'ben'),
  known('Team', 'ops'),
];

describe('principalChoices', () => {
  it('finds by name, by what people are called and by address, whatever the case', () => {
    const names = (words: string) => principalChoices(everybody, words, both).found.map(({ name }) => name);
    expect(names('')).toEqual(['anna', 'ben', 'ops']);
    expect(names('SMITH ann')).toEqual(['anna']);
    expect(names('example.org')).toEqual(['anna']);
    expect(names('op')).toEqual(['ops']);
  });

  it('offers only the kinds that are asked for', () => {
    expect(principalChoices(everybody, '', ['Team']).found).toEqual([known('Team', 'ops')]);
  });

  it('offers what is typed as a name that is not shown, where it can be one and is not known', () => {
    expect(principalChoices(everybody, ' carl ', both).unseen).toEqual([
      { kind: 'User', name: 'carl' },
      { kind: 'Team', name: 'carl' },
    ]);
    expect(principalChoices(everybody, 'ops', both).unseen).toEqual([{ kind: 'User', name: 'ops' }]);
    expect(principalChoices(everybody, 'Anna Smith', both).unseen).toEqual([]);
    expect(principalChoices(everybody, '', both).unseen).toEqual([]);
  });

  it('shows no more than can be read, and says how many it leaves out', () => {
    const many = Array.from({ length: 120 }, (_, index) => known('User', `u${index}`));
    const { found, more } = principalChoices(many, 'u', both);
    expect([found.length, more]).toEqual([50, 70]);
  });
});

describe('a principal as text', () => {
  it('is read as it is written', () => {
    for (const one of [
      { kind: 'User', name: 'a/b' },
      { kind: 'Team', name: 'ops' },
    ] as const) {
      expect(principalOf(principalKey(one))).toEqual(one);
    }
  });

  it('says the name beside what people call it', () => {
    expect(titleOf({ name: 'anna', displayName: 'Anna Smith' })).toBe('Anna Smith (anna)');
    expect(titleOf({ name: 'ben', displayName: '' })).toBe('ben');
    expect(titleOf({ name: 'ben', displayName: 'ben' })).toBe('ben');
  });
});

describe('knownPrincipals', () => {
  it('reads the columns by their names', () => {
    const column = (name: string) => ({ name, type: 'string', format: '', description: '', priority: 0 });
    const rows = [{ key: '/anna', metadata: { name: 'anna' }, cells: ['anna', 'Anna', null], object: {} as never }];
    const columns = [column('Name'), column('Display Name'), column('Email')];
    expect(knownPrincipals('User', { columns, rows })).toEqual([known('User', 'anna', 'Anna')]);
    expect(knownPrincipals('Team', { columns: columns.slice(0, 1), rows })).toEqual([known('Team', 'anna')]);
  });
});
