import { hash } from 'node:crypto';
import { type FieldError, invalid, required, tooLong, tooMany } from '../../api/field-error.ts';
import type { IdentityLink } from '../../api/management/v1/user.ts';

/** Maximum number of identities of a user. Each request with a key of the user reads all of them. */
const maxIdentities = 20;
/** Maximum length of an issuer or a subject in bytes. OpenID Connect allows subjects of 255 characters. */
const maxTextLength = 1024;

/**
 * Returns the claim of an identity: a name that only one user can hold, so each identity belongs to at most one user.
 * The name is a hash, because subjects can contain any character.
 */
export function identityClaim({ issuer, subject }: IdentityLink): string {
  return `identity:${hash('sha256', JSON.stringify([issuer, subject]), 'base64url')}`;
}

/** Validates `spec.identities`. */
export function identityErrors(links: readonly Partial<IdentityLink>[] = []): FieldError[] {
  const field = 'spec.identities';
  if (links.length > maxIdentities) return [tooMany(field, links.length, maxIdentities)];
  return links.flatMap(({ issuer = '', subject = '' }, index) => [
    ...textErrors(issuer, `${field}[${index}].issuer`),
    ...(issuer === '' || URL.canParse(issuer)
      ? []
      : [
          invalid(
            `${field}[${index}].issuer`,
            issuer,
            'must be the URL of an issuer, such as https://login.example.com',
          ),
        ]),
    ...textErrors(subject, `${field}[${index}].subject`),
  ]);
}

function textErrors(text: string, field: string): FieldError[] {
  if (text === '') return [required(field)];
  return Buffer.byteLength(text) > maxTextLength ? [tooLong(field, maxTextLength)] : [];
}
