import { describe, expect, it } from 'vitest';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import type { User } from '../../api/management/v1/user.ts';
import { supportedScopes } from './scopes.ts';
import { userClaims } from './user-claims.ts';

const user: User = {
  apiVersion: 'v1',
  kind: 'User',
  metadata: { name: 'anna', uid: 'uid-1' },
  spec: { email: 'anna@acme.test', displayName: 'Anna Able' },
};

function claims(identity?: NonNullable<AccessKey['spec']>['identity']) {
  const login: AccessKey = {
    apiVersion: 'v1',
    kind: 'AccessKey',
    metadata: { name: 'login-1' },
    spec: { type: 'Login', ...(identity === undefined ? {} : { identity }) },
  };
  return userClaims({ user, login, teams: ['platform'] }, supportedScopes);
}

describe('the claims about a user', () => {
  it('call an address verified only if the provider of the login has verified this address', () => {
    expect(claims()).toMatchObject({ email: 'anna@acme.test', email_verified: false });
    expect(claims({ email: 'anna@acme.test' }).email_verified).toBe(false);
    expect(claims({ email: 'anna@acme.test', emailVerified: false }).email_verified).toBe(false);
    expect(claims({ email: 'other@acme.test', emailVerified: true }).email_verified).toBe(false);
    expect(claims({ email: 'anna@acme.test', emailVerified: true }).email_verified).toBe(true);
  });

  it('contain teams and no groups of the provider', () => {
    expect(claims({ groups: ['admins'] }).groups).toEqual(['platform']);
  });

  it('name users by their UID, so that a later user of the same name is another person', () => {
    expect(claims()).toMatchObject({ sub: 'uid-1', preferred_username: 'anna', name: 'Anna Able' });
  });
});
