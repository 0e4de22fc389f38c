import { type ConnectorSettings, ProviderError } from './connector.ts';
import type { ProviderIdentity } from './provider-identity.ts';
import { isReservedGroup } from './reserved-groups.ts';

/** The claims of an ID token or of a userinfo response. They are untrusted input. */
export type Claims = Readonly<Record<string, unknown>>;

/** The settings of a connector that determine which claims are used. */
type ClaimSettings = Pick<ConnectorSettings, 'name' | 'issuer' | 'claims'>;

const maxGroupLength = 256;
const maxNameLength = 256;
const maxEmailLength = 320;
const maxPictureLength = 2048;
/** The maximum length in characters (OpenID Connect Core 1.0, section 2). */
const maxSubjectLength = 255;

/** True if the claims are complete, so no userinfo response is needed. */
export function hasIdentityClaims(claims: Claims, { claims: names }: ClaimSettings): boolean {
  return [names.user, names.email, names.groups].every((name) => claimOf(claims, name) !== undefined);
}

/** Adds the claims of a userinfo response to the claims of the ID token. The claims of the ID token take precedence. */
export function withUserinfo(claims: Claims, userinfo: Claims): Claims {
  const merged = { ...userinfo, ...claims };
  // If the ID token and the userinfo response contain different addresses, `email_verified` of one does not apply to
  // the address of the other.
  const isOtherEmail = claims.email !== undefined && claims.email !== userinfo.email;
  return isOtherEmail ? { ...merged, email_verified: claims.email_verified } : merged;
}

/** Returns the person that verified claims describe. Throws ProviderError if the subject or the name is unusable. */
export function identityFromClaims(claims: Claims, settings: ClaimSettings): ProviderIdentity {
  const { name: connector, issuer, claims: names } = settings;
  const subject = claims.sub;
  if (typeof subject !== 'string' || subject === '' || subject.length > maxSubjectLength) {
    throw rejected('the claim "sub" is missing or has more than 255 characters');
  }
  const username = shortText(claimOf(claims, names.user), maxNameLength);
  if (username === undefined) {
    throw rejected(
      `the claim "${names.user}" is missing or not a short text; set auth.oidc[].claims.user to a claim that the provider sends`,
    );
  }
  const displayName = shortText(claims.name, maxNameLength);
  const email = emailOf(claims, names.email);
  const picture = pictureOf(claims.picture);
  return {
    connector,
    issuer,
    subject,
    username,
    ...(displayName === undefined ? {} : { displayName }),
    ...(email === undefined ? {} : { email }),
    emailVerified: email !== undefined && isVerified(claims, email),
    ...(picture === undefined ? {} : { picture }),
    groups: groupsOf(claims, settings),
  };
}

/** Returns the claim with this name. For a name such as `a.b`, returns the member `b` of the claim `a`. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name] ?? undefined;
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Claims)[part];
  }
  return value ?? undefined;
}

function groupsOf(claims: Claims, settings: ClaimSettings): readonly string[] {
  const value = claimOf(claims, settings.claims.groups);
  if (value === undefined) {
    assertNoOverage(claims, settings);
    return [];
  }
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value];
  return [...new Set(listed)].filter(
    (group): group is string => shortText(group, maxGroupLength) !== undefined && !isReservedGroup(String(group)),
  );
}

/**
 * Throws an error if the groups are incomplete: for people with many groups, Entra ID sends a reference to another API
 * instead of the groups.
 */
function assertNoOverage(claims: Claims, { claims: names }: ClaimSettings): void {
  const sources = claims._claim_names;
  if (typeof sources !== 'object' || sources === null || !Object.hasOwn(sources, names.groups)) return;
  throw rejected(
    `the provider left out the claim "${names.groups}", because the person is in too many groups; configure the provider to send only the groups that are assigned to this application`,
  );
}

function emailOf(claims: Claims, name: string): string | undefined {
  const email = shortText(claimOf(claims, name), maxEmailLength);
  return email !== undefined && /^[^@\s]+@[^@\s]+$/.test(email) ? email : undefined;
}

/** `email_verified` is about the claim `email`, not about another claim that the settings select. */
function isVerified(claims: Claims, email: string): boolean {
  const { email_verified: verified } = claims;
  return claims.email === email && (verified === true || verified === 'true');
}

function pictureOf(value: unknown): string | undefined {
  const picture = shortText(value, maxPictureLength);
  return picture !== undefined && URL.canParse(picture) && new URL(picture).protocol === 'https:' ? picture : undefined;
}

/**
 * Returns the value if it is a non-empty text without control characters and not longer than `maxLength`. Otherwise
 * returns `undefined`.
 */
function shortText(value: unknown, maxLength: number): string | undefined {
  const isUsable =
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= maxLength &&
    !/[\p{Cc}\u2028\u2029]/u.test(value);
  return isUsable ? value : undefined;
}

function rejected(message: string): ProviderError {
  return new ProviderError('Rejected', message);
}
