import { describe, expect, it } from 'vitest';
import {
  type KnownPrincipal,
  knownPrincipals,
  type PrincipalKind,
  parsePrincipalKey,
  principalChoices,
  principalKey,
  principalTitle,
} from './principals.ts';

const both: readonly PrincipalKind[] = ['User', 'Team'];

function known(kind: PrincipalKind, name: string, displayName = '', email = ''): KnownPrincipal {
  return { kind, name, displayName, email };
}

const allPrincipals = [
  known('User', 'anna', 'Anna Smith', 'a.smith@example.org'),
  known('User', 'ben'),
  known('Team', 'ops'),
];

describe('principalChoices', () => {
  it('searches name, display name and email, ignoring case', () => {
    const names = (search: string) => principalChoices(allPrincipals, search, both).found.map(({ name }) => name);
    expect(names('')).toEqual(['anna', 'ben', 'ops']);
    expect(names('SMITH ann')).toEqual(['anna']);
    expect(names('example.org')).toEqual(['anna']);
    expect(names('op')).toEqual(['ops']);
  });

  it('offers only the allowed kinds', () => {
    expect(principalChoices(allPrincipals, '', ['Team']).found).toEqual([known('Team', 'ops')]);
  });

  it('offers the search text as an exact name if it is valid and not in the list', () => {
    expect(principalChoices(allPrincipals, ' carl ', both).exactNames).toEqual([
      { kind: 'User', name: 'carl' },
      { kind: 'Team', name: 'carl' },
    ]);
    expect(principalChoices(allPrincipals, 'ops', both).exactNames).toEqual([{ kind: 'User', name: 'ops' }]);
    expect(principalChoices(allPrincipals, 'Anna Smith', both).exactNames).toEqual([]);
    expect(principalChoices(allPrincipals, '', both).exactNames).toEqual([]);
  });

  it('limits the results and counts the rest', () => {
    const many = Array.from({ length: 120 }, (_, index) => known('User', `u${index}`));
    const { found, more } = principalChoices(many, 'u', both);
    expect([found.length, more]).toEqual([50, 70]);
  });
});

describe('a principal key', () => {
  it('round-trips', () => {
    for (const one of [
      { kind: 'User', name: 'a/b' },
      { kind: 'Team', name: 'ops' },
    ] as const) {
      expect(parsePrincipalKey(principalKey(one))).toEqual(one);
    }
  });

  it('becomes a title with display name and name', () => {
    expect(principalTitle({ name: 'anna', displayName: 'Anna Smith' })).toBe('Anna Smith (anna)');
    expect(principalTitle({ name: 'ben', displayName: '' })).toBe('ben');
    expect(principalTitle({ name: 'ben', displayName: 'ben' })).toBe('ben');
  });
});

describe('knownPrincipals', () => {
  it('reads columns by name', () => {
    const column = (name: string) => ({ name, type: 'string', format: '', description: '', priority: 0 });
    const rows = [{ key: '/anna', metadata: { name: 'anna' }, cells: ['anna', 'Anna', null], object: {} as never }];
    const columns = [column('Name'), column('Display Name'), column('Email')];
    expect(knownPrincipals('User', { columns, rows })).toEqual([known('User', 'anna', 'Anna')]);
    expect(knownPrincipals('Team', { columns: columns.slice(0, 1), rows })).toEqual([known('Team', 'anna')]);
  });
});
