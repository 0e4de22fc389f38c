import { describe, expect, it } from 'vitest';
import type { AccessKeySpec } from '../api/management/v1/access-key.ts';
import type { User } from '../api/management/v1/user.ts';
import { accessKeyIdentity } from './identity.ts';

const object = <Spec>(name: string, spec: Spec) => ({
  apiVersion: '',
  kind: '',
  metadata: { name, uid: `uid-${name}` },
  spec,
});

const users: Record<string, User> = {
  anna: object('anna', { groups: ['dev', 'system:masters'] }),
  bob: object('bob', { subject: 'robert' }),
  off: object('off', { disabled: true }),
  fake: object('fake', { groups: ['platform:user:bob', 'platform:team:red', 'ops'] }),
};
const state = {
  user: (name: string) => users[name],
  userHidden: () => undefined,
  passwordsEnabled: true,
  team: (name: string) => (name === 'red' ? object('red', { groups: ['reds'] }) : undefined),
  teamsOf: (name: string) => (name === 'anna' ? ['red'] : []),
};
const who = (spec: AccessKeySpec) => accessKeyIdentity({ spec }, state);

describe('the identity of an access key (completions §8)', () => {
  it('a user key has the groups of the user, of every caller, of the teams and of the key', () => {
    expect(who({ user: 'anna', groups: ['extra'] })).toEqual({
      name: 'anna',
      uid: 'uid-anna',
      groups: [
        'dev',
        'system:authenticated',
        'platform:authenticated',
        'platform:user:anna',
        'platform:team:red',
        'extra',
      ],
    });
    expect(who({ user: 'bob' })).toMatchObject({
      name: 'robert',
      groups: expect.arrayContaining(['platform:user:bob']),
    });
  });

  it('a team key has the identity of the team', () => {
    expect(who({ team: 'red' })).toEqual({
      name: 'platform:team:red',
      uid: 'uid-red',
      groups: ['reds', 'system:authenticated', 'platform:authenticated', 'platform:team:red'],
    });
  });

  it('a subject key has the identity of the subject and only the groups of the key', () => {
    expect(who({ subject: 'robot', groups: ['g'] })).toEqual({ name: 'robot', groups: ['g', 'system:authenticated'] });
  });

  it('a key whose user is disabled or deleted, or whose team is deleted, has no identity', () => {
    for (const spec of [{ user: 'off' }, { user: 'none' }, { team: 'blue' }, {}]) expect(who(spec)).toBeUndefined();
  });

  it('the groups list of a user does not grant membership', () => {
    expect(who({ user: 'fake' })?.groups).toEqual([
      'ops',
      'system:authenticated',
      'platform:authenticated',
      'platform:user:fake',
    ]);
  });

  it('the groups list of a key grants neither membership nor system: groups', () => {
    const groups = ['platform:team:blue', 'platform:user:bob', 'system:masters'];
    expect(who({ user: 'bob', groups })?.groups).toEqual([
      'system:authenticated',
      'platform:authenticated',
      'platform:user:bob',
    ]);
  });
});
