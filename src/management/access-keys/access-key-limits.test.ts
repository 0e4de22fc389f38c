import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { accessKeyPhase } from '../../api/management/access-key-expiry.ts';
import { deleteOptions, patchOptions, rejectionStatus, writeOptions } from '../management.fixture.ts';
import { keyStateOf, scopesOf } from './access-key-state.ts';
import { openAccessKeyTestEnv, ownKeyValue } from './access-keys.fixture.ts';

describe('lifetime and number of access keys (completions §5)', () => {
  it('a key expires its ttl after creation or after the last activity', async () => {
    const { make, stored, clock, plane, system } = await openAccessKeyTestEnv();
    await make({ ttl: 60 });
    await make({ ttl: 60, ttlAfterLastActivity: true }, undefined, 'active');
    const keys = plane.kinds.get('accesskeys.management.platform.sh');
    clock.advance(30_000);
    const status = { status: { lastActivity: new Date(clock.now()).toISOString() } };
    await keys?.status?.patch(system(), 'active', { type: 'merge', document: status, findings: [] }, patchOptions);
    clock.advance(29_000);
    expect(accessKeyPhase(stored(), clock.now())).toBe('Active');
    clock.advance(1_000);
    expect(accessKeyPhase(stored(), clock.now())).toBe('Expired');
    expect(accessKeyPhase(stored('active'), clock.now())).toBe('Active');
    expect(keys?.resource.expiresAt?.({ object: stored() })).toBe(clock.now() + 7 * 24 * 3600 * 1000);
  });

  it('a negative ttl is rejected, and the maximum of the server applies', async () => {
    const { make } = await openAccessKeyTestEnv({ accessKeys: { maxTTL: 100, perUser: 100 } });
    expect((await rejectionStatus(make({ ttl: -1 }))).code).toBe(422);
    expect((await rejectionStatus(make({ ttl: 101 }))).message).toContain('spec.ttl');
    expect(await make({})).toMatchObject({ spec: { ttl: 100 } });
  });

  it('the number of keys is limited; expired ones do not count', async () => {
    const { make, as, clock, admin, verbs } = await openAccessKeyTestEnv({ accessKeys: { maxTTL: 0, perUser: 2 } });
    await make({ ttl: 10 });
    await make({}, as('anna'), 'second');
    expect(await rejectionStatus(make({}, as('anna'), 'third'))).toMatchObject({
      code: 403,
      message: expect.stringContaining(
        'exceeded quota, requested: accesskeys=1, used: accesskeys=2, limited: accesskeys=2; the limit is the server setting accessKeys.perUser; delete keys of the user "anna"',
      ),
    });
    await make({}, as('bob'), 'third');
    await make({ team: 'red' }, as('anna'), 'of-red');
    clock.advance(10_000);
    await make({}, as('anna'), 'fourth');
    expect((await rejectionStatus(make({ user: 'anna' }, admin(), 'fifth'))).code).toBe(403);
    await verbs('ownedaccesskeys').delete(as('anna'), 'second', deleteOptions);
    const both = await Promise.allSettled([make({}, as('anna'), 'x'), make({ user: 'anna' }, as('anna'), 'y')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('a key does not outlive the key that created it, however that key changes', async () => {
    const { make, as, stored, clock, state, verbs } = await openAccessKeyTestEnv();
    await make({ ttl: 100 }, as('anna'), 'parent');
    const context = as('anna', '', 'parent');
    expect(await make({}, context, 'a')).toMatchObject({ spec: { ttl: 100 } });
    expect(await make({ ttl: 1000 }, context, 'b')).toMatchObject({ spec: { ttl: 100 } });
    expect(context.warnings).toHaveLength(1);
    expect(await make({ ttl: 50, ttlAfterLastActivity: true }, context, 'c')).toMatchObject({ spec: { ttl: 50 } });
    expect(keyStateOf(stored('a'), state)).toMatchObject({
      expiresAt: clock.now() + 100_000,
      disabled: false,
      user: { name: 'anna' },
    });
    const merge = (name: string, spec: JsonObject) =>
      verbs('ownedaccesskeys').patch(
        as('anna'),
        name,
        { type: 'merge', document: { spec }, findings: [] },
        patchOptions,
      );
    const end = clock.now() + 100_000;
    clock.advance(40_000);
    const extended = await merge('a', { ttl: 100_000 });
    expect(extended.object).toMatchObject({ spec: { ttl: 100 } });
    expect(keyStateOf(stored('a'), state).expiresAt).toBe(end);
    await merge('parent', { disabled: true });
    expect(keyStateOf(stored('a'), state).disabled).toBe(true);
    await verbs('ownedaccesskeys').delete(as('anna'), 'parent', deleteOptions);
    expect(keyStateOf(stored('a'), state).user).toBeUndefined();
    await make({}, as('anna'), 'parent');
    expect(keyStateOf(stored('a'), state).user).toBeUndefined();
  });

  it('a key outlives the login that created it, and inherits the scopes of its creator', async () => {
    const { make, plane, system, sent, as, stored, state } = await openAccessKeyTestEnv();
    const scope = { projects: [{ project: 'p' }] };
    await plane.kinds
      .get('accesskeys.management.platform.sh')
      ?.verbs.create(
        system(),
        sent('accesskeys', 'login', { spec: { user: 'anna', type: 'Login', ttl: 10, scope } }),
        writeOptions,
      );
    expect(await make({}, as('anna', '', 'login'))).not.toHaveProperty('spec.ttl');
    expect(keyStateOf(stored(), state).expiresAt).toBeUndefined();
    expect(scopesOf(stored(), state)).toEqual([scope]);
    const narrower = { virtualClusters: [{ project: 'p', virtualCluster: 'v' }] };
    await make({ scope: narrower }, as('anna', '', 'k'), 'narrow');
    expect(scopesOf(stored('narrow'), state)).toEqual([narrower, scope]);
  });

  it('a scoped key cannot change keys', async () => {
    const { make, as, verbs } = await openAccessKeyTestEnv();
    await make({});
    await make({ scope: { projects: [{ project: 'p' }] } }, as('anna'), 'narrow');
    const patch = { type: 'merge' as const, document: { spec: { key: ownKeyValue } }, findings: [] };
    for (const name of ['k', 'narrow']) {
      const refused = await rejectionStatus(
        verbs('ownedaccesskeys').patch(as('anna', '', 'narrow'), name, patch, patchOptions),
      );
      expect(refused).toMatchObject({
        code: 403,
        message: expect.stringContaining('may create keys but not change them'),
      });
    }
  });

  it('an empty scope is rejected', async () => {
    const { make } = await openAccessKeyTestEnv();
    expect((await rejectionStatus(make({ scope: {} }))).code).toBe(422);
    expect(await make({ scope: null })).toBeDefined();
  });
});
