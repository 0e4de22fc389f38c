import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConnectorSettings } from '../../auth/oidc/connector.ts';
import { readOptions } from './options.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oidc-settings-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function read(...oidc: readonly object[]): Promise<readonly ConnectorSettings[]> {
  const config = join(directory, 'config.yaml');
  await writeFile(config, JSON.stringify({ auth: { oidc } }));
  return (await readOptions({ config })).auth.oidc;
}

const least = { name: 'company', issuer: 'https://login.example.com', clientId: 'flotilla' };

describe('the setting auth.oidc', () => {
  it('has defaults for all but name, issuer and client ID', async () => {
    expect(await read(least)).toEqual([
      {
        ...least,
        displayName: 'company',
        scopes: ['openid', 'profile', 'email', 'offline_access'],
        claims: { user: 'preferred_username', email: 'email', groups: 'groups' },
        allowedGroups: [],
        allowedDomains: [],
        groupsToTeams: {},
        adminGroups: [],
        createUsers: true,
        refreshSeconds: 300,
        unavailableSeconds: 86_400,
      },
    ]);
  });

  it('reads every member', async () => {
    const all = {
      ...least,
      displayName: 'Company login',
      clientSecretFile: '/etc/secret',
      caFile: '/etc/ca.pem',
      scopes: ['groups'],
      claims: { user: 'email', groups: 'realm_access.roles' },
      allowedGroups: ['staff'],
      allowedDomains: ['Example.COM'],
      groupsPrefix: 'company:',
      groupsToTeams: { developers: 'dev', 'ops-people': ['ops', 'on-call'] },
      adminGroups: ['admins'],
      createUsers: false,
      refreshSeconds: 60,
      unavailableSeconds: 0,
    };
    expect(await read(all)).toEqual([
      {
        ...all,
        scopes: ['openid', 'groups'],
        claims: { ...all.claims, email: 'email' },
        allowedDomains: ['example.com'],
        groupsToTeams: { developers: ['dev'], 'ops-people': ['ops', 'on-call'] },
      },
    ]);
  });

  it.each([
    [{ ...least, name: undefined }, /every connector under "auth.oidc" needs a "name"/],
    [{ ...least, name: 'My Company' }, /"auth.oidc\[0\].name" is "My Company", but must be a DNS label/],
    [{ ...least, issuer: undefined }, /the connector company needs "issuer", such as https:/],
    [{ ...least, clientId: undefined }, /the connector company needs "clientId"/],
    [{ ...least, issuer: 'login.example.com' }, /"auth.oidc\[0\].issuer" must be a URL such as/],
    [{ ...least, issuer: 'http://login.example.com' }, /"auth.oidc\[0\].issuer" must start with https/],
    [{ ...least, issuer: 'http://127.0.0.1.example.com' }, /must start with https/],
    [{ ...least, issuer: 'https://me:word@login.example.com' }, /must not contain a user or a password/],
    [{ ...least, issuer: 'https://login.example.com?a=b' }, /must not contain a query/],
    [{ ...least, scopes: ['openid groups'] }, /"auth.oidc\[0\].scopes" contains "openid groups", which is not a scope/],
    [{ ...least, claims: { name: 'x' } }, /"auth.oidc\[0\].claims.name" is not a known setting/],
    [{ ...least, allowedDomains: ['@example.com'] }, /which is not a domain/],
    [{ ...least, adminGroups: ['system:masters'] }, /contains "system:masters", which has a reserved prefix/],
    [{ ...least, groupsToTeams: { 'platform:admins': 'a' } }, /"auth.oidc\[0\].groupsToTeams" contains the group/],
    [{ ...least, groupsToTeams: { a: ['A B'] } }, /the name of a team or a list of names for the group "a"/],
    [{ ...least, groupsPrefix: 'system:corp:' }, /"auth.oidc\[0\].groupsPrefix" is reserved/],
    [{ ...least, groupsPrefix: 'plat' }, /is the beginning of a reserved prefix/],
    [{ ...least, groupsPrefix: 'a b' }, /must have 1 to 63 letters/],
    [{ ...least, refreshSeconds: 1 }, /"auth.oidc\[0\].refreshSeconds" must be an integer from 60/],
    [{ ...least, clientSecret: 'x' }, /"auth.oidc\[0\].clientSecret" is not a known setting/],
  ])('names the mistake in %j', async (entry, message) => {
    await expect(read(entry)).rejects.toThrow(message);
  });

  it('allows http for a provider on this machine', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const issuer = `http://${host}:5556/dex`;
      expect((await read({ ...least, issuer }))[0]?.issuer).toBe(issuer);
    }
  });

  it('refuses two connectors of the same name', async () => {
    await expect(read(least, { ...least, issuer: 'https://b.example.com' })).rejects.toThrow(
      /"auth.oidc": two connectors have the name company/,
    );
  });
});
