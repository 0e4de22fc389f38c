import { type JsonObject, textAt, valueAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { decoyHash, verifyPassword } from '../../auth/password-hash.ts';
import type { RequestContext } from '../../registry/context.ts';
import { hiddenPassword, passwordPurpose } from '../identities/user-hidden.ts';
import { openManagementTestEnv, patchOptions, rejectionStatus } from '../management.fixture.ts';

async function setUp() {
  const management = await openManagementTestEnv();
  const { verbs, admin } = management;
  await management.create('users', 'anna', {});
  await management.create('teams', 'red', { users: ['anna'] });
  const merge = (plural: string, name: string, spec: JsonObject, context: RequestContext = admin()) =>
    verbs(plural).patch(context, name, { type: 'merge', document: { spec }, findings: [] }, patchOptions);
  return { ...management, merge };
}

describe('users (completions §7)', () => {
  it('only a sealed slow hash of the password is stored', async () => {
    const { merge, plane, sealer, as } = await setUp();
    const changed = await merge('users', 'anna', { password: 'correct horse' }, as('anna'));
    expect(changed.json()).not.toContain('horse');
    expect(valueAt(changed.object, 'spec', 'password')).toBeUndefined();
    const sealed = textAt(plane.kinds.get('users.management.platform.sh')?.peekHidden('', 'anna'), hiddenPassword);
    expect(sealed).not.toContain('scrypt');
    expect(await verifyPassword('correct horse', sealer.open(passwordPurpose, sealed))).toBe(true);
    const same = await merge('users', 'anna', { password: 'correct horse' });
    expect(same.object.metadata.resourceVersion).toBe(changed.object.metadata.resourceVersion);
    expect((await rejectionStatus(merge('users', 'anna', { password: 'horse' }))).message).not.toContain('"horse"');
    expect((await rejectionStatus(merge('users', 'admin', { password: 'correct horse' }, as('anna')))).code).toBe(403);
  });

  it('a caller who sets many passwords does not delay logins', async () => {
    const { verbs, as } = await setUp();
    let set = 0;
    const writes = Array.from({ length: 8 }, async (_, index) => {
      const document = { spec: { password: `correct horse ${index}` } };
      const trying = { ...patchOptions, dryRun: true };
      await verbs('users').patch(as('anna'), 'anna', { type: 'merge', document, findings: [] }, trying);
      set++;
    });
    // If there were no limit of one hash per caller, all hashes would be queued by now.
    await new Promise((resolve) => setImmediate(resolve));
    await verifyPassword('a password', decoyHash);
    expect(set).toBeLessThan(4);
    await Promise.all(writes);
    expect(set).toBe(8);
  });

  it('a subject is unique among the names and subjects of users', async () => {
    const { create, merge } = await setUp();
    await create('users', 'bob', { subject: 'robert' });
    const status = await rejectionStatus(merge('users', 'anna', { subject: 'robert' }));
    expect(status).toMatchObject({
      code: 422,
      message: expect.stringContaining('spec.subject: Duplicate value: "robert"'),
    });
    expect((await rejectionStatus(merge('users', 'anna', { subject: 'bob' }))).code).toBe(422);
    expect((await rejectionStatus(create('users', 'robert', {}))).message).toContain(
      'metadata.name: Duplicate value: "robert"',
    );
    await merge('users', 'anna', { subject: 'anna' });
    for (const subject of ['system:admin', 'platform:team:red']) {
      expect((await rejectionStatus(merge('users', 'anna', { subject }))).code).toBe(422);
    }
    expect((await rejectionStatus(merge('users', 'anna', { groups: ['system:masters'] }))).code).toBe(422);
  });

  it('users may change their own display fields and nothing else', async () => {
    const { merge, as } = await setUp();
    await merge('users', 'anna', { displayName: 'Anna' }, as('anna'));
    for (const spec of [{ groups: ['x'] }, { subject: 'x' }, { disabled: true }, { email: 'x@y' }]) {
      expect((await rejectionStatus(merge('users', 'anna', spec, as('anna')))).code).toBe(403);
    }
  });
});

describe('teams (completions §7)', () => {
  it('only admins may set the users and groups of a team', async () => {
    const { merge, as } = await setUp();
    await merge('teams', 'red', { owner: { user: 'anna' }, access: [{ verbs: ['*'], users: ['anna'] }] });
    await merge('teams', 'red', { displayName: 'Red' }, as('anna'));
    expect((await rejectionStatus(merge('teams', 'red', { users: [] }, as('anna')))).code).toBe(403);
    expect((await rejectionStatus(merge('teams', 'red', { groups: ['x'] }, as('anna')))).code).toBe(403);
    expect((await rejectionStatus(merge('teams', 'red', { groups: ['system:x'] }))).code).toBe(422);
  });
});
