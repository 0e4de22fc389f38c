import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { adminsGroup } from '../../../api/naming.ts';
import { impersonationHeaders } from '../../../hosts/kubernetes/reach/request-headers.ts';
import { keyStateOf } from '../../../management/access-keys/access-key-state.ts';
import { usedNameKey } from '../../../management/identities/used-names.ts';
import { deleteOptions, patchOptions, rejectionStatus } from '../../../management/management.fixture.ts';
import { ControlledConnector, issuer, openOidcTestEnv, person } from './oidc.fixture.ts';

const groupsToTeams = { devs: ['red'], leads: ['red', 'blue'], ops: ['missing'] };

async function setUp() {
  const env = await openOidcTestEnv({
    connectors: [
      new ControlledConnector({ groupsToTeams, adminGroups: ['root'] }),
      new ControlledConnector({ name: 'other', issuer: 'https://other.example' }),
      new ControlledConnector({ name: 'closed', issuer: 'https://closed.example', createUsers: false }),
    ],
  });
  await env.create('teams', 'red', {});
  await env.create('teams', 'blue', {});
  const patchUser = (name: string, spec: object) =>
    env
      .verbs('users')
      .patch(env.admin(), name, { type: 'merge', document: { spec: { ...spec } }, findings: [] }, patchOptions);
  return { ...env, patchUser };
}

describe('a sign-in with an identity of a provider', () => {
  it('creates the user at the first sign-in and finds it again by issuer and subject', async () => {
    const { signIn, state } = await setUp();
    const identity = person('s1', {
      username: 'Anna.Smith@acme.example',
      displayName: 'Anna',
      email: 'a@acme.example',
    });
    const first = await signIn({ identity });
    expect(first.owner).toBe('anna.smith');
    expect(state.user('anna.smith')?.spec).toEqual({
      displayName: 'Anna',
      email: 'a@acme.example',
      identities: [{ issuer, subject: 's1' }],
    });
    const again = await signIn({ identity: { ...identity, username: 'renamed', displayName: 'Anna S.' } });
    expect(again.owner).toBe('anna.smith');
    expect(state.user('anna.smith')?.spec?.displayName).toBe('Anna S.');
    expect(state.user('renamed')).toBeUndefined();
  });

  it('opens a login that shows the identity', async () => {
    const { signIn, state, clock } = await setUp();
    const identity = person('s1', { email: 'a@b.example', emailVerified: true, displayName: 'A', groups: ['devs'] });
    const { name } = await signIn({ identity });
    expect(state.accessKey(name)?.spec).toMatchObject({
      type: 'Login',
      user: 's1',
      identityRefresh: new Date(clock.now()).toISOString().replace('.000Z', 'Z'),
      identity: {
        userId: 's1',
        username: 's1',
        preferredUsername: 'A',
        email: 'a@b.example',
        emailVerified: true,
        groups: ['devs'],
        connector: 'corp',
      },
    });
  });

  it('ignores groups that the gateway cannot send to clusters, instead of blocking the person there', async () => {
    const { signIn } = await setUp();
    const groups = ['devs', ' padded', 'padded ', '\u00a0padded', 'tab\tinside', ' system:masters', 'a b'];
    const { user } = await signIn({ identity: person('s1', { groups }) });
    expect(() => impersonationHeaders(user)).not.toThrow();
    expect(user.groups).toEqual(expect.arrayContaining(['devs', 'a b']));
    expect(user.groups.filter((group) => /padded|inside|masters/.test(group))).toEqual([]);
  });

  it('creates one user if the same person signs in several times at once', async () => {
    const { signIn, state } = await setUp();
    const one = (index: number) => signIn({ identity: person('s1'), refreshToken: `token-${index}` });
    const opened = await Promise.all(Array.from({ length: 8 }, (_, index) => one(index)));
    expect(new Set(opened.map(({ owner }) => owner))).toEqual(new Set(['s1']));
    expect([...state.users()].map(({ metadata }) => metadata.name)).toEqual(['admin', 's1']);
  });

  it('gives people with the same username different users, also at the same time', async () => {
    const { signIn } = await setUp();
    const people = ['a', 'b', 'c'].map((subject) => person(subject, { username: 'bob' }));
    const opened = await Promise.all(people.map((identity) => signIn({ identity })));
    expect(opened.map(({ owner }) => owner).sort()).toEqual(['bob', 'bob-2', 'bob-3']);
  });

  it('never takes over a user by name, login name, subject or email address', async () => {
    const { signIn, create } = await setUp();
    await create('users', 'carl', { email: 'carl@acme.example', password: 'correct horse' });
    await create('users', 'c1', { username: 'dora' });
    await create('users', 'c2', { subject: 'emil' });
    const taken = { email: 'carl@acme.example', emailVerified: true };
    expect((await signIn({ identity: person('x', { username: 'carl', ...taken }) })).owner).toBe('carl-2');
    expect((await signIn({ identity: person('y', { username: 'dora' }) })).owner).toBe('dora-2');
    expect((await signIn({ identity: person('z', { username: 'emil' }) })).owner).toBe('emil-2');
    expect((await signIn({ identity: person('w', { username: 'admin' }) })).owner).toBe('admin-2');
  });

  it('gives nobody the name of a deleted user, also not to the same person', async () => {
    const { signIn, create, verbs, admin } = await setUp();
    const how = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: {} };
    await create('users', 'grace', {});
    expect((await signIn({ identity: person('a', { username: 'anna' }) })).owner).toBe('anna');
    for (const name of ['grace', 'anna']) await verbs('users').delete(admin(), name, how);
    expect((await signIn({ identity: person('x', { username: 'grace' }) })).owner).toBe('grace-2');
    expect((await signIn({ identity: person('a', { username: 'anna' }) })).owner).toBe('anna-2');
    // Administrators can reuse the name of a deleted user. They can also link the person to the new user beforehand.
    await create('users', 'grace', { identities: [{ issuer, subject: 'y' }] });
    expect((await signIn({ identity: person('y', { username: 'other' }) })).owner).toBe('grace');
  });

  it('gives nobody a former subject, nor the name of a deleted user whose creation recorded none', async () => {
    const { signIn, create, verbs, admin, patchUser, store } = await setUp();
    await create('users', 'grace', { subject: 'gs' });
    await create('users', 'emil', { subject: 'es' });
    const names = ['grace', 'gs', 'emil', 'es'];
    // Earlier versions did not record names.
    for (const name of names) await store.transact({ writes: [{ key: usedNameKey(name), value: undefined }] });
    await patchUser('emil', { subject: 'em' });
    await patchUser('emil', { subject: null });
    for (const name of ['grace', 'emil']) await verbs('users').delete(admin(), name, deleteOptions);
    const owners: string[] = [];
    for (const username of [...names, 'em']) owners.push((await signIn({ identity: person(username) })).owner);
    expect(owners).toEqual([...names, 'em'].map((name) => `${name}-2`));
  });

  it('gives nobody a name that objects or keys already name', async () => {
    const { signIn, create } = await setUp();
    const rule = { clusterRole: 'admin', users: ['inrule'] };
    const member = { kind: 'User', name: 'inproject', clusterRole: 'platform-management-project-user' };
    await create('teams', 'green', { users: ['inteam'] });
    await create('projects', 'p', { members: [member], owner: { user: 'asowner' } });
    const access = [{ verbs: ['get'], users: ['inaccess'] }];
    await create('spacetemplates', 't', { access, template: { access: { rules: [rule] } } });
    await create('ownedaccesskeys', 'k', { subject: 'assubject' });
    const names = ['inteam', 'inproject', 'asowner', 'inaccess', 'inrule', 'assubject'];
    const owners: string[] = [];
    for (const username of names) owners.push((await signIn({ identity: person(username) })).owner);
    expect(owners).toEqual(names.map((name) => `${name}-2`));
    expect((await signIn({ identity: person('free') })).owner).toBe('free');
  });

  it('at a second provider with the same subject and email address is another person', async () => {
    const { signIn } = await setUp();
    const email = { email: 'a@acme.example', emailVerified: true };
    await signIn({ identity: person('s1', { username: 'anna', ...email }) });
    const other = person('s1', { connector: 'other', issuer: 'https://other.example', username: 'anna', ...email });
    expect((await signIn({ identity: other })).owner).toBe('anna-2');
  });

  it('is refused without a user if the connector creates none, until an admin links one', async () => {
    const { identityLogins, signIn, create, patchUser } = await setUp();
    const identity = person('s9', { connector: 'closed', issuer: 'https://closed.example', username: 'local' });
    expect(await identityLogins.open({ identity })).toMatchObject({ reason: 'NoUser' });
    await create('users', 'local', {});
    expect(await identityLogins.open({ identity })).toMatchObject({ reason: 'NoUser' });
    await patchUser('local', { identities: [{ issuer: 'https://closed.example', subject: 's9' }] });
    expect((await signIn({ identity })).owner).toBe('local');
  });

  it('is refused for a disabled user', async () => {
    const { signIn, identityLogins, patchUser } = await setUp();
    await signIn({ identity: person('s1') });
    await patchUser('s1', { disabled: true });
    expect(await identityLogins.open({ identity: person('s1') })).toMatchObject({ reason: 'UserDisabled', user: 's1' });
  });

  it('gets a name that nobody can guess if an access list names all others', async () => {
    const { signIn, create } = await setUp();
    const users = ['bob', ...Array.from({ length: 99 }, (_, index) => `bob-${index + 2}`)];
    await create('spacetemplates', 't', { access: [{ verbs: ['get'], users }] });
    const owners = new Set<string>();
    for (const subject of ['s1', 's2']) {
      const { owner } = await signIn({ identity: person(subject, { username: 'bob' }) });
      expect(owner).toMatch(/^bob-[0-9a-f]{8}$/);
      owners.add(owner);
    }
    expect(owners.size).toBe(2);
  });
});

describe('the link between a user and an identity', () => {
  it('prevents a first password that the person sets from remaining after they are gone', async () => {
    const { signIn, verbs, as, patchUser } = await setUp();
    await signIn({ identity: person('s1') });
    const setPassword = (password: string) =>
      verbs('users').patch(
        as('s1'),
        's1',
        { type: 'merge', document: { spec: { password } }, findings: [] },
        patchOptions,
      );
    expect(await rejectionStatus(setPassword('correct horse'))).toMatchObject({
      code: 403,
      message: expect.stringContaining('only admins may give a first password'),
    });
    await patchUser('s1', { password: 'battery staple' });
    await setPassword('correct horse');
  });

  it('belongs to one user and is set only by admins', async () => {
    const { signIn, create, verbs, as, patchUser } = await setUp();
    await signIn({ identity: person('s1') });
    await create('users', 'eve', {});
    const identities = [{ issuer, subject: 's1' }];
    expect(await rejectionStatus(patchUser('eve', { identities }))).toMatchObject({ code: 422 });
    const document = { spec: { identities: [{ issuer, subject: 'x' }] } };
    const patch = { type: 'merge' as const, document, findings: [] };
    expect(await rejectionStatus(verbs('users').patch(as('eve'), 'eve', patch, patchOptions))).toMatchObject({
      code: 403,
    });
  });

  it('must name an issuer and a subject', async () => {
    const { create, patchUser } = await setUp();
    await create('users', 'eve', {});
    for (const link of [
      { issuer: '', subject: 'x' },
      { issuer: 'no url', subject: 'x' },
      { issuer, subject: '' },
    ]) {
      expect(await rejectionStatus(patchUser('eve', { identities: [link] }))).toMatchObject({ code: 422 });
    }
  });

  it('ends the logins and the permissions of the identity when an admin removes it', async () => {
    const { signIn, state, patchUser } = await setUp();
    const { name } = await signIn({ identity: person('s1', { groups: ['devs'] }) });
    const key = state.accessKey(name);
    if (key === undefined) throw new Error('no login');
    expect(keyStateOf(key, state).user?.groups).toContain('devs');
    await patchUser('s1', { identities: [] });
    expect(keyStateOf(key, state).user).toBeUndefined();
    expect(state.teamsOf('s1')).toEqual([]);
  });
});

describe('the groups of an identity', () => {
  it('are groups of the user, except reserved ones, and give teams and administration', async () => {
    const { signIn, state } = await setUp();
    const groups = [
      'leads',
      'ops',
      'system:masters',
      'KubeADM:cluster-admins',
      adminsGroup,
      'platform:team:blue',
      '',
      'a\nb',
    ];
    const { user } = await signIn({ identity: person('s1', { groups }) });
    expect(user.groups.filter((group) => !group.startsWith('system:'))).toEqual([
      'leads',
      'ops',
      'platform:authenticated',
      'platform:user:s1',
      'platform:team:blue',
      'platform:team:red',
    ]);
    expect(user.groups).not.toContain('system:masters');
    expect(state.teamsOf('s1')).toEqual(['blue', 'red']);
    expect([...state.providerMembersOf('blue')]).toEqual(['s1']);
    const root = await signIn({ identity: person('s2', { groups: ['root'] }) });
    expect(root.user.groups).toContain(adminsGroup);
  });

  it('have the prefix of the connector in clusters; teams and administrators follow from the names without it', async () => {
    const connector = new ControlledConnector({ groupsPrefix: 'corp:', groupsToTeams, adminGroups: ['root'] });
    const { signIn, create, state, as } = await openOidcTestEnv({ connectors: [connector] });
    await create('teams', 'red', {});
    const groups = ['devs', 'root', 'kubeadm:cluster-admins', 'system:masters'];
    const { user } = await signIn({ identity: person('s1', { groups }) });
    expect(user.groups).toEqual(expect.arrayContaining(['corp:devs', 'corp:root', adminsGroup]));
    for (const none of ['devs', 'root']) expect(user.groups).not.toContain(none);
    expect(user.groups.filter((group) => /masters|kubeadm/.test(group))).toEqual([]);
    expect(state.teamsOf('s1')).toEqual(['red']);
    await create('ownedaccesskeys', 'mine', { groups: ['corp:devs'] }, as('s1'));
    const key = state.accessKey('mine');
    await signIn({ identity: person('s1', { groups: [] }) });
    expect(key && keyStateOf(key, state).user?.groups).not.toContain('corp:devs');
  });

  it('are replaced at the next sign-in', async () => {
    const { signIn, state } = await setUp();
    await signIn({ identity: person('s1', { groups: ['devs', 'root'] }) });
    const { user } = await signIn({ identity: person('s1', { groups: ['other'] }) });
    expect(user.groups).toContain('other');
    expect(user.groups).not.toContain('devs');
    expect(user.groups).not.toContain(adminsGroup);
    expect(state.teamsOf('s1')).toEqual([]);
  });

  it('are not in the status, which colleagues can read', async () => {
    const { signIn, state } = await setUp();
    await signIn({ identity: person('s1', { groups: ['secret-project', 'devs'] }) });
    expect(JSON.stringify(state.user('s1'))).not.toContain('secret-project');
    expect(state.user('s1')?.status?.identities).toMatchObject([
      { connector: 'corp', issuer, subject: 's1', teams: ['red'], state: 'Active' },
    ]);
  });

  it('stay bounded if there are ten thousand of them, and the rules of the connector see all', async () => {
    const { signIn, state } = await setUp();
    const groups = Array.from({ length: 10_000 }, (_, index) => `group-${index}`);
    const { user, name } = await signIn({ identity: person('s1', { groups: [...groups, 'zz', 'leads'] }) });
    expect(user.groups.filter((group) => group.startsWith('group-'))).toHaveLength(499);
    expect(user.groups).toContain('leads');
    expect(state.teamsOf('s1')).toEqual(['blue', 'red']);
    expect(state.accessKey(name)?.spec?.identity?.groups).toHaveLength(500);
    expect(state.user('s1')?.status?.identities?.[0]?.message).toMatch(/reports 10002 groups/);
  });

  it('that a key got from its owner are lost together with those of the owner', async () => {
    const { signIn, state, as, create } = await setUp();
    await signIn({ identity: person('s1', { groups: ['root', 'secret'] }) });
    await create('ownedaccesskeys', 'mine', { groups: ['secret', adminsGroup] }, as('s1'));
    const key = state.accessKey('mine');
    if (key === undefined) throw new Error('no key');
    expect(keyStateOf(key, state).user?.groups).toEqual(expect.arrayContaining(['secret', adminsGroup]));
    await signIn({ identity: person('s1', { groups: [] }) });
    const after = keyStateOf(key, state).user?.groups ?? [];
    expect(after).not.toContain('secret');
    expect(after).not.toContain(adminsGroup);
  });
});

describe('the groups that a person gives to the key of a team', () => {
  async function setUpTeam() {
    const env = await setUp();
    for (const subject of ['s1', 's2']) await env.signIn({ identity: person(subject) });
    await env.create('teams', 'green', { users: ['s1', 's2'] });
    const groupsOf = (name: string) => {
      const key = env.state.accessKey(name);
      return (key && keyStateOf(key, env.state).user?.groups) ?? [];
    };
    const patchKey = (user: string, name: string, spec: JsonObject) =>
      env
        .verbs('ownedaccesskeys')
        .patch(env.as(user), name, { type: 'merge', document: { spec }, findings: [] }, patchOptions);
    return { ...env, groupsOf, patchKey };
  }

  it('are lost together with those of the person, and come back with them', async () => {
    const { signIn, create, as, groupsOf } = await setUpTeam();
    await signIn({ identity: person('s1', { groups: ['root', 'secret'] }) });
    await create('ownedaccesskeys', 'deploy', { team: 'green', groups: ['secret', adminsGroup] }, as('s1'));
    expect(groupsOf('deploy')).toEqual(expect.arrayContaining(['secret', adminsGroup]));
    await signIn({ identity: person('s1', { groups: [] }) });
    expect(groupsOf('deploy')).toContain('platform:team:green');
    for (const lost of ['secret', adminsGroup]) expect(groupsOf('deploy')).not.toContain(lost);
    await signIn({ identity: person('s1', { groups: ['secret'] }) });
    expect(groupsOf('deploy')).toContain('secret');
  });

  it('are lost if the person is disabled or deleted, and are not those of a new user with the name', async () => {
    const { signIn, create, as, admin, verbs, groupsOf, patchUser } = await setUpTeam();
    await signIn({ identity: person('s1', { groups: ['secret'] }) });
    await create('ownedaccesskeys', 'deploy', { team: 'green', groups: ['secret'] }, as('s1'));
    await patchUser('s1', { disabled: true });
    expect(groupsOf('deploy')).not.toContain('secret');
    await patchUser('s1', { disabled: null });
    expect(groupsOf('deploy')).toContain('secret');
    const how = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: {} };
    await verbs('users').delete(admin(), 's1', how);
    await create('users', 's1', { groups: ['secret'] });
    expect(groupsOf('deploy')).not.toContain('secret');
  });

  it('are lost also by keys and logins that the key of the team opened', async () => {
    const { signIn, create, as, contextOf, logins, state, groupsOf } = await setUpTeam();
    await signIn({ identity: person('s1', { groups: ['secret'] }) });
    await create('ownedaccesskeys', 'deploy', { team: 'green', groups: ['secret'] }, as('s1'));
    const team = { name: 'platform:team:green', groups: groupsOf('deploy') };
    await create('ownedaccesskeys', 'child', { groups: ['secret'] }, contextOf(team, '', 'deploy'));
    const opened = await logins.openWithKey('deploy');
    if ('why' in opened) throw new Error(opened.why);
    const login = opened.name;
    expect(state.accessKey('child')?.spec?.team).toBe('green');
    for (const name of ['child', login]) expect(groupsOf(name)).toContain('secret');
    await signIn({ identity: person('s1', { groups: [] }) });
    for (const name of ['child', login]) expect(groupsOf(name)).not.toContain('secret');
  });

  it('follow the member who adds them, and then the member who replaces the value', async () => {
    const { signIn, create, as, patchKey, groupsOf } = await setUpTeam();
    await signIn({ identity: person('s1', { groups: ['one'] }) });
    await signIn({ identity: person('s2', { groups: ['one', 'two'] }) });
    await create('ownedaccesskeys', 'deploy', { team: 'green', groups: ['one'] }, as('s1'));
    await patchKey('s2', 'deploy', { groups: ['one', 'two'] });
    await signIn({ identity: person('s1', { groups: [] }) });
    expect(groupsOf('deploy')).toContain('two');
    expect(groupsOf('deploy')).not.toContain('one');
    await patchKey('s2', 'deploy', { key: 'a-key-of-my-own.0123456789~abcdefgh' });
    expect(groupsOf('deploy')).toEqual(expect.arrayContaining(['one', 'two']));
    await signIn({ identity: person('s2', { groups: [] }) });
    for (const lost of ['one', 'two']) expect(groupsOf('deploy')).not.toContain(lost);
  });

  it('depend on the member who replaces the value, or enables the key, also if an admin granted them', async () => {
    const { signIn, create, patchKey, groupsOf } = await setUpTeam();
    await signIn({ identity: person('s1', { groups: ['one', 'two'] }) });
    await create('ownedaccesskeys', 'renewed', { team: 'green', groups: ['one', 'other'] });
    await create('ownedaccesskeys', 'enabled', { team: 'green', groups: ['two'], disabled: true });
    await create('ownedaccesskeys', 'unchanged', { team: 'green', groups: ['one'] });
    await patchKey('s1', 'enabled', { disabled: false });
    await patchKey('s1', 'unchanged', { displayName: 'Deployments' });
    const replaced = patchKey('s1', 'renewed', { key: 'a-key-of-my-own.0123456789~abcdefgh' });
    expect(await rejectionStatus(replaced)).toMatchObject({ code: 403 });
    await signIn({ identity: person('s1', { groups: ['one', 'two', 'other'] }) });
    await patchKey('s1', 'renewed', { key: 'a-key-of-my-own.0123456789~abcdefgh' });
    expect(groupsOf('renewed')).toEqual(expect.arrayContaining(['one', 'other']));
    expect(groupsOf('enabled')).toContain('two');
    await signIn({ identity: person('s1', { groups: [] }) });
    for (const lost of ['one', 'other']) expect(groupsOf('renewed')).not.toContain(lost);
    expect(groupsOf('enabled')).not.toContain('two');
    expect(groupsOf('unchanged')).toContain('one');
  });

  it('cannot be kept by a change of the list', async () => {
    const { signIn, create, as, patchKey, groupsOf } = await setUpTeam();
    await signIn({ identity: person('s1', { groups: ['secret'] }) });
    await create('ownedaccesskeys', 'deploy', { team: 'green', groups: ['secret'] }, as('s1'));
    await patchKey('s1', 'deploy', { displayName: 'Deployments' });
    await signIn({ identity: person('s1', { groups: [] }) });
    await patchKey('s1', 'deploy', { displayName: 'Deploy' });
    expect(groupsOf('deploy')).not.toContain('secret');
  });
});

describe('the key of a refresh token', () => {
  it('is the parent of the logins, keeps the newest token sealed, and is not a credential', async () => {
    const { signIn, state, refreshKeys } = await setUp();
    const first = await signIn({ identity: person('s1'), refreshToken: 'token-one', idToken: 'id-one' });
    const second = await signIn({ identity: person('s1'), refreshToken: 'token-two' });
    const third = await signIn({ identity: person('s1') });
    const parents = [first, second, third].map(({ name }) => state.accessKey(name)?.spec?.parent);
    expect(new Set(parents).size).toBe(1);
    const key = state.accessKey(parents[0] ?? '');
    if (key === undefined) throw new Error('no key');
    expect(key.spec).toMatchObject({ type: 'OIDCRefreshToken', user: 's1', disabled: true });
    expect(JSON.stringify([key, state.accessKeyHidden(key.metadata.name ?? '')])).not.toMatch(/token-|id-one/);
    expect(refreshKeys.secretsOf(key)?.refreshToken).toBe('token-two');
    expect(keyStateOf(key, state).disabled).toBe(true);
  });

  it('cannot be changed by anybody, and only admins can delete it', async () => {
    const { signIn, state, verbs, as, admin } = await setUp();
    const { name } = await signIn({ identity: person('s1'), refreshToken: 'token-one' });
    const parent = state.accessKey(name)?.spec?.parent ?? '';
    const patch = {
      type: 'merge',
      document: { spec: { disabled: false, key: 'x'.repeat(40) } },
      findings: [],
    } as const;
    const how = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: {} };
    const own = verbs('ownedaccesskeys');
    expect(await rejectionStatus(own.patch(as('s1'), parent, patch, patchOptions))).toMatchObject({ code: 403 });
    expect(await rejectionStatus(own.delete(as('s1'), parent, how))).toMatchObject({ code: 403 });
    const all = verbs('accesskeys');
    expect(await rejectionStatus(all.patch(admin(), parent, patch, patchOptions))).toMatchObject({ code: 403 });
    await all.delete(admin(), parent, how);
    expect(state.accessKey(parent)).toBeUndefined();
  });
});
