import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { patchOptions, rejectionStatus, writeOptions } from '../management.fixture.ts';
import { keyStateOf } from './access-key-state.ts';
import { openAccessKeyTestEnv, otherKeyValue, ownKeyValue } from './access-keys.fixture.ts';

const scope = { projects: [{ project: 'default' }] };
const freshLoginRequired = {
  code: 403,
  details: { causes: [{ reason: 'FreshLoginRequired', message: expect.stringContaining('flotilla login') }] },
};

async function openEnv(settings = { auth: { freshLoginSeconds: 15 * 60 } }) {
  const env = await openAccessKeyTestEnv(settings);
  const keys = env.plane.kinds.get('accesskeys.management.platform.sh');
  /** Creates a key as the server does, for example a login. */
  const asServer = (name: string, spec: JsonObject, accessKey?: string) =>
    keys?.verbs.create(
      { ...env.system(), ...(accessKey === undefined ? {} : { accessKey }) },
      env.sent('accesskeys', name, { spec }),
      writeOptions,
    );
  const patch = (plural: string, name: string, spec: JsonObject, context = env.as('anna')) =>
    env.verbs(plural).patch(context, name, { type: 'merge', document: { spec }, findings: [] }, patchOptions);
  const anna = (key: string) => env.as('anna', '', key);
  return { ...env, asServer, patch, anna };
}

describe('changes of credentials', () => {
  it('need a login, not a key', async () => {
    const { make, patch, anna, clock, asServer } = await openEnv();
    await make({ ttl: 120 }, undefined, 'brief');
    expect(await rejectionStatus(patch('users', 'anna', { password: 'correct horse' }, anna('brief')))).toMatchObject({
      ...freshLoginRequired,
      message: expect.stringContaining(
        'setting a password requires a login with a password or through an identity provider that is at most 15 minutes',
      ),
    });
    expect(await rejectionStatus(make({}, anna('brief'), 'a'))).toMatchObject(freshLoginRequired);
    await asServer('login', { user: 'anna', type: 'Login', ttl: 86_400 });
    await patch('users', 'anna', { password: 'correct horse' }, anna('login'));
    await make({}, anna('login'), 'b');
    clock.advance(15 * 60_000 + 1000);
    expect(await rejectionStatus(make({}, anna('login'), 'c'))).toMatchObject(freshLoginRequired);
    expect(await rejectionStatus(make({ scope, ttl: 60 }, anna('login'), 'd'))).toMatchObject({
      ...freshLoginRequired,
      message: expect.stringContaining('creating an access key that outlives the login'),
    });
  });

  it('need a login that no key opened, except the first key of the administrator', async () => {
    const { make, anna, asServer, as } = await openEnv();
    await make({}, undefined, 'mine');
    await asServer('by-key', { user: 'anna', type: 'Login', ttl: 600 }, 'mine');
    expect(await rejectionStatus(make({}, anna('by-key'), 'a'))).toMatchObject(freshLoginRequired);
    await asServer('by-admin-key', { user: 'admin', type: 'Login', ttl: 600 }, 'admin');
    await make({ user: 'anna' }, as('admin', '', 'by-admin-key'), 'b');
    await make({ user: 'anna' }, as('admin', '', 'admin'), 'c');
    for (const name of ['second', 'admin-0123abcd']) {
      await make({ user: 'admin' }, as('admin', '', 'admin'), name);
      expect(await rejectionStatus(make({ user: 'anna' }, as('admin', '', name), 'd'))).toMatchObject(
        freshLoginRequired,
      );
    }
  });

  it('need a login also if an admin creates a user with a password', async () => {
    const { make, as, create } = await openEnv();
    await make({ user: 'admin' }, as('admin', '', 'admin'), 'pipeline');
    const context = as('admin', '', 'pipeline');
    expect(await rejectionStatus(create('users', 'eve', { password: 'correct horse' }, context))).toMatchObject(
      freshLoginRequired,
    );
    await create('users', 'eve', {}, context);
  });

  it('need no login for keys with a scope and an end, or for keys that scoped keys create', async () => {
    const { make, anna } = await openEnv();
    await make({}, undefined, 'wide');
    await make({ scope }, undefined, 'pipeline');
    await make({ scope, ttl: 600 }, anna('wide'), 'a');
    await make({}, anna('pipeline'), 'b');
    expect(await rejectionStatus(make({ scope }, anna('wide'), 'c'))).toMatchObject({
      message: expect.stringContaining('creating an access key that does not expire'),
    });
  });

  it('need a login for keys whose scope limits nothing', async () => {
    const { make, anna } = await openEnv();
    await make({}, undefined, 'wide');
    const requestTargets = ['Management', 'Cluster', 'ProjectSpace', 'ProjectVirtualCluster'];
    const rules: JsonObject[] = [{}, { verbs: ['*'] }, { requestTargets }, { virtualClusters: [{ name: 'x' }] }];
    for (const rule of rules) {
      for (const all of [{ rules: [rule] }, { ...scope, rules: [{ namespaces: ['x'] }, rule] }])
        expect(await rejectionStatus(make({ scope: all, ttl: 600 }, anna('wide'), 'a'))).toMatchObject({
          ...freshLoginRequired,
          message: expect.stringContaining('creating an access key without a scope'),
        });
    }
    await make({ scope: { rules: [{ requestTargets: ['Cluster'] }] }, ttl: 600 }, anna('wide'), 'a');
    await make(
      { scope: { rules: [{ resources: [{ group: '', resources: ['pods'] }] }] }, ttl: 600 },
      anna('wide'),
      'b',
    );
  });

  it('need no login for keys that a login with a key creates, which end with that key', async () => {
    const { make, anna, asServer, stored, state, clock, patch } = await openEnv();
    await make({ ttl: 1200 }, undefined, 'mine');
    await asServer('by-key', { user: 'anna', type: 'Login', ttl: 600 }, 'mine');
    await make({ scope, ttl: 100_000 }, anna('by-key'), 'child');
    expect(keyStateOf(stored('child'), state).expiresAt).toBe(clock.now() + 1_200_000);
    await patch('ownedaccesskeys', 'child', { ttl: 300 }, anna('by-key'));
    await patch('ownedaccesskeys', 'child', { ttl: 600, scope: { projects: [{ project: '*' }] } }, anna('by-key'));
    await patch('ownedaccesskeys', 'child', { key: otherKeyValue }, anna('mine'));
    // No access key limits the keys of a login that another login opened.
    await asServer('login', { user: 'anna', type: 'Login', ttl: 600 });
    await asServer('second-login', { user: 'anna', type: 'Login', ttl: 600 }, 'login');
    expect(await rejectionStatus(make({ scope, ttl: 60 }, anna('second-login'), 'a'))).toMatchObject(
      freshLoginRequired,
    );
  });

  const widenings: readonly [string, JsonObject, JsonObject][] = [
    ['replaces the value of another key', {}, { key: otherKeyValue }],
    ['removes a scope', { scope }, { scope: null }],
    ['removes an end', { ttl: 600 }, { ttl: 0 }],
    ['extends a key without a scope', { ttl: 600 }, { ttl: 1200 }],
    ['lets a key without a scope live while it is used', { ttl: 600 }, { ttlAfterLastActivity: true }],
    ['enables a key', { disabled: true }, { disabled: false }],
    ['widens a scope', { scope, ttl: 600 }, { scope: { projects: [{ project: '*' }] } }],
    ['makes a scope match everything', { scope, ttl: 600 }, { scope: { rules: [{}] } }],
    ['extends a key with a scope', { scope, ttl: 600 }, { ttl: 1200 }],
    ['replaces the value of a key with a scope', { scope, ttl: 600 }, { key: otherKeyValue }],
    ['enables a key with a scope', { scope, ttl: 600, disabled: true }, { disabled: false }],
  ];
  it.each(widenings)('need a login if the change %s', async (_, before, change) => {
    const { make, patch, anna } = await openEnv();
    await make({ ttl: 120 }, undefined, 'brief');
    await make(before, undefined, 'target');
    expect(await rejectionStatus(patch('ownedaccesskeys', 'target', change, anna('brief')))).toMatchObject(
      freshLoginRequired,
    );
  });

  const loginChanges: readonly [string, JsonObject, JsonObject][] = [
    ['replaces the value of a login, which would pass on how fresh it is', {}, { key: otherKeyValue }],
    ['removes the scope of a login', { scope }, { scope: null }],
    ['enables a login', { disabled: true }, { disabled: false }],
  ];
  it.each(loginChanges)('need a login if the change %s', async (_, before, change) => {
    const { make, patch, anna, asServer } = await openEnv();
    await make({}, undefined, 'mine');
    await asServer('login', { user: 'anna', type: 'Login', ttl: 600, ...before });
    expect(await rejectionStatus(patch('ownedaccesskeys', 'login', change, anna('mine')))).toMatchObject(
      freshLoginRequired,
    );
    await patch('ownedaccesskeys', 'login', { disabled: true }, anna('mine'));
  });

  it('need no login to restrict a key, or to replace the value of the key of the request', async () => {
    const { make, patch, anna, asServer } = await openEnv();
    await make({}, undefined, 'mine');
    await make({ ttl: 1200 }, undefined, 'other');
    await patch('ownedaccesskeys', 'mine', { key: otherKeyValue }, anna('mine'));
    await asServer('by-key', { user: 'anna', type: 'Login', ttl: 600 }, 'mine');
    await patch('ownedaccesskeys', 'mine', { key: ownKeyValue }, anna('by-key'));
    await patch('ownedaccesskeys', 'other', { ttl: 600 }, anna('mine'));
    await patch('ownedaccesskeys', 'other', { disabled: true }, anna('mine'));
    await patch('ownedaccesskeys', 'other', { description: 'unused' }, anna('mine'));
    await patch('ownedaccesskeys', 'other', { scope }, anna('mine'));
  });

  it('need no login if the setting is 0', async () => {
    const { make, anna } = await openEnv({ auth: { freshLoginSeconds: 0 } });
    await make({}, undefined, 'mine');
    await make({}, anna('mine'), 'child');
  });
});

describe('the creator of an access key', () => {
  it('is recorded by the server and cannot be changed', async () => {
    const { make, as, stored, patch, asServer, anna } = await openEnv();
    await make({ createdBy: 'bob', team: 'red' }, undefined, 'forged');
    expect(stored('forged').spec).toMatchObject({ createdBy: 'anna' });
    await asServer('login', { user: 'anna', type: 'Login', ttl: 600 });
    await make({}, anna('login'), 'mine');
    expect(stored('mine').spec).toMatchObject({ createdBy: 'anna', createdWith: 'login' });
    await patch('ownedaccesskeys', 'mine', { createdBy: 'bob', createdWith: 'other' });
    expect(stored('mine').spec).toMatchObject({ createdBy: 'anna', createdWith: 'login' });
    // An impersonated request counts as a request of the owner of its access key.
    await make({ user: 'bob' }, as('bob', '', 'admin'), 'bobs');
    expect(stored('bobs').spec).toMatchObject({ user: 'bob', createdBy: 'admin', createdWith: 'admin' });
  });
});
