import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { deleteOptions, latestVersion, listOptions, patchOptions, rejectionStatus } from '../management.fixture.ts';
import { keyStateOf } from './access-key-state.ts';
import { openAccessKeyTestEnv, ownKeyValue } from './access-keys.fixture.ts';

describe('the owner of an access key (completions §5)', () => {
  it('the owner defaults to the caller', async () => {
    const { make, contextOf } = await openAccessKeyTestEnv();
    expect(await make({})).toMatchObject({ spec: { user: 'anna' } });
    const team = contextOf({ name: 'platform:team:red', groups: ['platform:team:red'] }, '');
    expect(await make({}, team, 't')).toMatchObject({ spec: { team: 'red' } });
  });

  it('the owner is the caller or one of their teams, or for admins any existing principal', async () => {
    const { make, as, admin } = await openAccessKeyTestEnv();
    expect(await make({ team: 'red' })).toMatchObject({ spec: { team: 'red' } });
    expect((await rejectionStatus(make({ user: 'bob' }, as('anna'), 'x'))).code).toBe(403);
    expect((await rejectionStatus(make({ team: 'red' }, as('bob'), 'x'))).code).toBe(403);
    expect((await rejectionStatus(make({ subject: 'robot' }, as('anna'), 'x'))).code).toBe(403);
    expect(await make({ user: 'bob' }, admin(), 'b')).toMatchObject({ spec: { user: 'bob' } });
    expect(await make({ subject: 'robot', groups: ['g'] }, admin(), 's')).toMatchObject({ spec: { subject: 'robot' } });
    expect(await rejectionStatus(make({ user: 'nobody' }, admin(), 'x'))).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'spec.user', reason: 'FieldValueNotFound' }] },
    });
  });

  it('a key has one owner, which is immutable and never begins with system:', async () => {
    const { make, admin, verbs, as } = await openAccessKeyTestEnv();
    expect((await rejectionStatus(make({ user: 'anna', team: 'red' }))).code).toBe(422);
    for (const spec of [
      { subject: 'system:admin' },
      { groups: ['system:masters'] },
      { subject: 'platform:team:red' },
    ]) {
      expect((await rejectionStatus(make(spec, admin(), 'x'))).code).toBe(422);
    }
    await make({});
    const patch = { type: 'merge' as const, document: { spec: { user: 'bob' } }, findings: [] };
    expect(await rejectionStatus(verbs('ownedaccesskeys').patch(as('anna'), 'k', patch, patchOptions))).toMatchObject({
      code: 422,
      message: expect.stringContaining('spec.user: Invalid value: "bob": field is immutable'),
    });
  });

  it('a recreated owner does not get the keys of the previous one', async () => {
    const { make, stored, verbs, admin, as, create, state } = await openAccessKeyTestEnv();
    await make({});
    expect(keyStateOf(stored(), state).user).toMatchObject({ name: 'anna' });
    await verbs('users').delete(admin(), 'anna', deleteOptions);
    expect(keyStateOf(stored(), state).user).toBeUndefined();
    await create('users', 'anna', {});
    expect(keyStateOf(stored(), state).user).toBeUndefined();
    expect((await verbs('ownedaccesskeys').list(as('anna'), listOptions)).items).toEqual([]);
    expect((await rejectionStatus(verbs('ownedaccesskeys').get(as('anna'), 'k', latestVersion))).code).toBe(404);
  });

  it('a caller without the groups of a key cannot replace its value', async () => {
    const { make, as, admin, verbs } = await openAccessKeyTestEnv();
    await make({ user: 'anna', groups: ['operators'] }, admin());
    await make({ team: 'red', groups: ['operators'] }, admin(), 'of-red');
    const patch = (document: JsonObject, context = as('anna'), name = 'k') =>
      verbs('ownedaccesskeys').patch(context, name, { type: 'merge', document, findings: [] }, patchOptions);
    for (const name of ['k', 'of-red']) {
      expect((await rejectionStatus(patch({ spec: { key: ownKeyValue } }, as('anna'), name))).code).toBe(403);
      expect(await patch({ spec: { displayName: 'x', disabled: true } }, as('anna'), name)).toBeDefined();
      expect(
        await patch({ spec: { key: ownKeyValue, groups: null } }, as('anna'), name).catch((error) => error.code),
      ).toBe(403);
    }
    expect(await patch({ spec: { groups: null } })).toBeDefined();
    expect(await patch({ spec: { key: ownKeyValue } })).toBeDefined();
  });

  it('only admins can give a key groups that the caller does not have', async () => {
    const { make, as, admin } = await openAccessKeyTestEnv();
    expect((await rejectionStatus(make({ groups: ['platform:admins'] }))).code).toBe(403);
    expect((await rejectionStatus(make({ groups: ['reds'] }, as('bob'), 'x'))).code).toBe(403);
    expect(await make({ user: 'bob', groups: ['x'] }, admin(), 'x')).toMatchObject({ spec: { groups: ['x'] } });
  });
});

describe('ownedaccesskeys and accesskeys (completions §5)', () => {
  it('a caller sees their own keys and those of their teams; other keys do not exist for them', async () => {
    const { make, as, admin, verbs } = await openAccessKeyTestEnv();
    await make({});
    await make({ team: 'red' }, admin(), 'of-red');
    await make({}, as('bob'), 'of-bob');
    const owned = verbs('ownedaccesskeys');
    const names = async (who: string) =>
      (await owned.list(as(who), listOptions)).items.map((item) => item.object.metadata.name);
    expect(await names('anna')).toEqual(['k', 'of-red']);
    expect(await names('bob')).toEqual(['of-bob']);
    expect(await names('admin')).toEqual(['admin']);
    const missing = await rejectionStatus(owned.get(as('anna'), 'of-bob', latestVersion));
    expect(missing).toEqual(
      await rejectionStatus(owned.get(as('anna'), 'never', latestVersion)).then((status) => ({
        ...status,
        message: status.message?.replace('never', 'of-bob'),
        details: { ...status.details, name: 'of-bob' },
      })),
    );
    expect(missing).toMatchObject({ code: 404, details: { kind: 'ownedaccesskeys' } });
    expect((await rejectionStatus(owned.delete(as('anna'), 'of-bob', deleteOptions))).code).toBe(404);
    expect((await rejectionStatus(make({}, as('anna'), 'of-bob'))).message).toBe(
      'ownedaccesskeys.management.platform.sh "of-bob" already exists',
    );
    const patch = { type: 'merge' as const, document: {}, findings: [] };
    expect((await rejectionStatus(owned.patch(as('anna'), 'of-bob', patch, patchOptions))).code).toBe(404);
    const all = await verbs('accesskeys').list(admin(), listOptions);
    expect(all.items.map((item) => item.object.metadata.name)).toEqual(['admin', 'k', 'of-bob', 'of-red']);
    expect(await owned.delete(as('anna'), 'k', deleteOptions)).toMatchObject({
      gone: { details: { kind: 'ownedaccesskeys' } },
    });
  });

  it('admins can list the keys of one user or team, and an apply creates no AccessKey', async () => {
    const { make, mounted, admin, verbs } = await openAccessKeyTestEnv();
    await make({});
    const answer = await mounted('users').subresources.accesskeys?.verbs.get?.(admin(), 'anna', latestVersion);
    expect(answer?.object).toMatchObject({ kind: 'UserAccessKeys', accessKeys: [{ metadata: { name: 'k' } }] });
    for (const name of ['z', 'a']) await make({ team: 'red' }, undefined, name);
    const teams = await mounted('teams').subresources.accesskeys?.verbs.get?.(admin(), 'red', latestVersion);
    expect(teams?.object).toMatchObject({
      kind: 'TeamAccessKeys',
      accessKeys: [{ metadata: { name: 'a' } }, { metadata: { name: 'z' } }],
    });
    expect(teams?.json()).not.toContain('flk_');
    expect(verbs('accesskeys').create).toBeUndefined();
    const object = { apiVersion: 'management.platform.sh/v1', kind: 'AccessKey', metadata: { name: 'new' }, spec: {} };
    expect(
      (await rejectionStatus(verbs('accesskeys').patch(admin(), 'new', { type: 'apply', object }, patchOptions))).code,
    ).toBe(404);
  });
});
