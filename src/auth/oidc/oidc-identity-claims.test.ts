import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reasonNotAllowed } from './allowed-identity.ts';
import { type Claims, hasIdentityClaims, identityFromClaims, withUserinfo } from './identity-claims.ts';

const settings = {
  name: 'company',
  issuer: 'https://login.example.com',
  claims: { user: 'preferred_username', email: 'email', groups: 'groups' },
};
const least = { sub: '1', preferred_username: 'anna' };
const groupsOf = (groups: unknown, more: Claims = {}) =>
  identityFromClaims({ ...least, groups, ...more } as Claims, settings).groups;

describe('the identity from claims', () => {
  it('has a subject and a user name', () => {
    expect(identityFromClaims(least, settings)).toEqual({
      connector: 'company',
      issuer: 'https://login.example.com',
      subject: '1',
      username: 'anna',
      emailVerified: false,
      groups: [],
    });
    for (const sub of [undefined, '', 1, 'x'.repeat(256)]) {
      expect(() => identityFromClaims({ ...least, sub }, settings)).toThrow(/"sub"/);
    }
    for (const name of [undefined, '', ' ', 5, 'a\nb', 'x'.repeat(257)]) {
      expect(() => identityFromClaims({ ...least, preferred_username: name }, settings)).toThrow(/claims\.user/);
    }
  });

  it('reads names of claims literally, and otherwise as paths', () => {
    const nested = { ...settings, claims: { user: 'upn', email: 'mail', groups: 'realm_access.roles' } };
    const claims = { sub: '1', upn: 'a', realm_access: { roles: ['dev'] } };
    expect(identityFromClaims(claims, nested).groups).toEqual(['dev']);
    expect(identityFromClaims({ ...claims, 'realm_access.roles': ['ops'] }, nested).groups).toEqual(['ops']);
    const inherited = { ...nested, claims: { ...nested.claims, groups: 'constructor.name' } };
    expect(identityFromClaims(claims, inherited).groups).toEqual([]);
  });

  it('takes one group as a list of one', () => {
    expect(groupsOf('staff')).toEqual(['staff']);
    expect(groupsOf(['a', 'b', 'a'])).toEqual(['a', 'b']);
    expect(groupsOf(['a', '', 5, null, { b: 1 }, 'c\u0000', 'x'.repeat(257)])).toEqual(['a']);
    expect(groupsOf({ a: true })).toEqual([]);
    expect(groupsOf(Array.from({ length: 10_000 }, (_, index) => `group-${index}`))).toHaveLength(10_000);
  });

  it('never has groups that give permissions on this server or in Kubernetes', () => {
    for (const group of ['system:masters', 'platform:admins', 'System:masters', ' system:masters']) {
      expect(groupsOf([group, 'staff'])).toEqual(['staff']);
    }
    const prefix = fc.constantFrom('system:', 'platform:', 'SYSTEM:', '\tsystem:');
    fc.assert(
      fc.property(fc.array(fc.tuple(prefix, fc.string())), (groups) => {
        expect(groupsOf(groups.map((parts) => parts.join('')))).toEqual([]);
      }),
    );
  });

  it('is refused if the provider left out the groups', () => {
    expect(() => groupsOf(undefined, { _claim_names: { groups: 'src1' } })).toThrow(/too many groups/);
    expect(groupsOf(undefined, { _claim_names: { other: 'src1' } })).toEqual([]);
  });

  it('has a verified address only if the provider verified this very address', () => {
    const email = (claims: Claims, from = settings) => {
      const identity = identityFromClaims({ ...least, ...claims }, from);
      return [identity.email, identity.emailVerified];
    };
    expect(email({ email: 'a@b.c', email_verified: true })).toEqual(['a@b.c', true]);
    expect(email({ email: 'a@b.c', email_verified: 'true' })).toEqual(['a@b.c', true]);
    expect(email({ email: 'a@b.c', email_verified: 'false' })).toEqual(['a@b.c', false]);
    expect(email({ email: 'a@b.c', email_verified: 1 })).toEqual(['a@b.c', false]);
    expect(email({ email_verified: true })).toEqual([undefined, false]);
    expect(email({ email: 'no address', email_verified: true })).toEqual([undefined, false]);
    const other = { ...settings, claims: { ...settings.claims, email: 'upn' } };
    expect(email({ upn: 'x@y.z', email: 'a@b.c', email_verified: true }, other)).toEqual(['x@y.z', false]);
    const merged = withUserinfo({ ...least, email: 'a@b.c' }, { email: 'x@y.z', email_verified: true });
    expect(email(merged)).toEqual(['a@b.c', false]);
    expect(email(withUserinfo(least, { email: 'x@y.z', email_verified: true }))).toEqual(['x@y.z', true]);
  });

  it('has a picture only at an https URL', () => {
    const picture = (value: unknown) => identityFromClaims({ ...least, picture: value }, settings).picture;
    expect(picture('https://cdn.example.com/a.png')).toBe('https://cdn.example.com/a.png');
    for (const value of ['javascript:alert(1)', 'http://a/b', 'data:image/png;base64,AA', 7]) {
      expect(picture(value)).toBeUndefined();
    }
  });

  it('needs a userinfo response for each claim that is missing', () => {
    const all = { ...least, email: 'a@b.c', groups: [] };
    expect(hasIdentityClaims(all, settings)).toBe(true);
    for (const name of ['preferred_username', 'email', 'groups']) {
      expect(hasIdentityClaims({ ...all, [name]: undefined }, settings)).toBe(false);
    }
  });
});

describe('the allowed people', () => {
  const person = identityFromClaims(
    { ...least, email: 'anna@Example.com', email_verified: true, groups: ['a'] },
    settings,
  );
  const reason = (allowedGroups: string[], allowedDomains: string[], identity = person) =>
    reasonNotAllowed(identity, { allowedGroups, allowedDomains });

  it('are all people, or those with an allowed group and a verified address of an allowed domain', () => {
    expect(reason([], [])).toBeUndefined();
    expect(reason(['b', 'a'], ['example.com'])).toBeUndefined();
    expect(reason(['b'], ['example.com'])).toMatch(/none of the allowed groups/);
    expect(reason(['a'], ['example.org'])).toMatch(/domain of the email address is not allowed/);
    expect(reason([], ['ample.com'])).toMatch(/not allowed/);
    expect(reason([], ['example.com'], { ...person, emailVerified: false })).toMatch(/did not verify/);
    const { email: _, ...without } = person;
    expect(reason([], ['example.com'], without)).toMatch(/sent no email address/);
    const twoSigns = { ...person, email: 'a@example.com@evil.test' };
    expect(reason([], ['example.com'], twoSigns)).toMatch(/not allowed/);
  });
});
