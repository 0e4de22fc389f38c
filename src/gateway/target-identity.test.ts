import { describe, expect, it } from 'vitest';
import { adminsGroup } from '../api/naming.ts';
import type { Attributes } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import { clusterIdentity, instanceIdentity, virtualClusterIdentity } from './target-identity.ts';

const signal = new AbortController().signal;
const identity = (name: string, groups: string[], more: Partial<Identity> = {}): Identity => ({
  user: { name, groups },
  system: false,
  signal,
  ...more,
});
const allowed = () => ({ allowed: true, reason: '' });
const groupsOf = ({ user }: Identity) => [...user.groups].sort();

describe('the identity of a caller inside a plane', () => {
  it('keeps the name in the built-in cluster, makes admins cluster admins and drops system groups', () => {
    const anna = clusterIdentity(identity('anna', ['painters', 'system:masters', 'system:nodes']), 'local', allowed);
    expect(anna.user.name).toBe('anna');
    expect(groupsOf(anna)).toEqual(['painters', 'system:authenticated']);
    const admin = clusterIdentity(identity('root', [adminsGroup, 'system:authenticated']), 'local', allowed);
    expect(groupsOf(admin)).toEqual([adminsGroup, 'system:authenticated', 'system:masters']);
  });

  it('remains subject to the management API for every request inside', async () => {
    const asked: Attributes[] = [];
    const known = identity('anna', [], { accessKey: 'annas' });
    const anna = clusterIdentity(known, 'local', (who, attributes) => {
      expect(who).toBe(known);
      asked.push(attributes);
      return { allowed: false, reason: 'not you' };
    });
    const decision = await anna.preauthorize?.({ resourceRequest: false, verb: 'get', path: '/api' });
    expect(decision).toEqual({ allowed: false, reason: 'not you' });
    expect(asked).toEqual([
      { resourceRequest: false, verb: 'get', path: '/api', target: { type: 'Cluster', cluster: 'local' } },
    ]);
    expect(anna.accessKey).toBe('annas');
  });

  it('depends on the permissions of the key, not on those of an equal name outside', () => {
    const asked: unknown[] = [];
    const rights = (as?: unknown) => {
      asked.push(as);
      return signal;
    };
    const anna = virtualClusterIdentity(
      clusterIdentity(identity('anna', [], { permissionSignal: rights }), 'local', allowed),
      allowed,
    );
    anna.permissionSignal?.({ name: 'bob', groups: [] });
    expect(asked).toEqual([undefined]);
  });

  it('differs from the service account of the same name in a virtual cluster', () => {
    const account = identity('system:serviceaccount:default:robot', [
      'system:serviceaccounts',
      'system:serviceaccounts:default',
      'system:authenticated',
    ]);
    const inside = virtualClusterIdentity(account, allowed);
    expect(inside.user.name).toBe('platform:host:serviceaccount:default:robot');
    expect(groupsOf(inside)).toEqual(['system:authenticated']);
    const admin = virtualClusterIdentity(clusterIdentity(identity('root', [adminsGroup]), 'local', allowed), allowed);
    expect(groupsOf(admin)).toEqual([adminsGroup, 'system:authenticated', 'system:masters']);
    expect(admin.preauthorize).toBe(allowed);
  });

  it('has the roles that the instance grants, all of them for an admin, and none from the caller’s groups (completions §8)', () => {
    const groups = ['painters', 'system:masters', 'platform:role:cluster-admin', 'system:authenticated'];
    const anna = instanceIdentity(identity('anna', groups, { accessKey: 'annas' }), ['view', 'edit'], allowed);
    expect(groupsOf(anna)).toEqual(['painters', 'platform:role:edit', 'platform:role:view', 'system:authenticated']);
    expect([anna.accessKey, anna.preauthorize]).toEqual(['annas', allowed]);
    const admin = instanceIdentity(identity('root', [adminsGroup]), ['view'], allowed);
    expect(groupsOf(admin)).toEqual([adminsGroup, 'system:authenticated', 'system:masters']);
    for (const inside of [
      clusterIdentity(identity('anna', groups), 'local', allowed),
      virtualClusterIdentity(identity('anna', ['painters', 'platform:role:cluster-admin']), allowed),
    ]) {
      expect(groupsOf(inside)).toEqual(['painters', 'system:authenticated']);
    }
  });
});
