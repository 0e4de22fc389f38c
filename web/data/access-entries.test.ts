import { describe, expect, it } from 'vitest';
import type { AccessEntry } from '../../src/api/management/v1/access.ts';
import type { Cluster } from '../../src/api/management/v1/cluster.ts';
import { type AccessGrant, accessGrants, withGrant, withoutGrant } from './access-entries.ts';

const ana: AccessGrant = { principal: { kind: 'User', name: 'ana' }, verbs: ['get', 'use'], subresources: [] };
const ops: AccessGrant = { principal: { kind: 'Team', name: 'ops' }, verbs: ['use', 'get'], subresources: [] };

function holding(access: AccessEntry[]): Cluster {
  return { apiVersion: 'v1', kind: 'Cluster', metadata: { name: 'c' }, spec: { access } };
}

describe('the access entries of an object', () => {
  it('are listed per principal', () => {
    const access = [
      { name: 'x', verbs: ['get'], users: ['ana', 'bob'], teams: ['ops'] },
      { verbs: ['update'], subresources: ['spec.quotas'], users: ['ana'] },
    ];
    expect(accessGrants(holding(access)).map(({ principal, verbs }) => `${principal.name} ${verbs}`)).toEqual([
      'ana get',
      'bob get',
      'ops get',
      'ana update',
    ]);
  });

  it('share an entry for equal permissions, without duplicate names', () => {
    const one = withGrant([], ana);
    expect(one).toEqual([{ verbs: ['get', 'use'], users: ['ana'] }]);
    expect(withGrant(one, ops)).toEqual([{ verbs: ['get', 'use'], users: ['ana'], teams: ['ops'] }]);
    expect(withGrant(one, ana)).toEqual(one);
  });

  it('lose one principal only, and an entry without names is removed', () => {
    const both = withGrant(withGrant([], ana), ops);
    expect(withoutGrant(both, ana)).toEqual([{ verbs: ['get', 'use'], users: [], teams: ['ops'] }]);
    expect(withoutGrant(withGrant([], ana), ana)).toEqual([]);
    const onFields = { ...ana, subresources: ['spec.quotas'] };
    expect(withoutGrant(both, onFields)).toEqual(both);
  });
});
