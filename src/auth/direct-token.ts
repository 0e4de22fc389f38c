import { type CryptoKey, SignJWT } from 'jose';
import type { Scope } from '../api/management/v1/scope.ts';
import type { TokenKey } from './gateway-token.ts';

/**
 * Audience of direct-endpoint tokens. Only the audience distinguishes these tokens from other tokens of the
 * installation.
 */
export const directTokenAudience = 'direct-cluster-endpoint';
export const tokenAlgorithm = 'ES256';

/** The claims of a direct-endpoint token (completions §6). Times are seconds since the epoch. */
export interface DirectTokenClaims {
  /** The ID of the installation. Clients can read it from `status.instanceID` of the resource `selves`. */
  readonly issuer: string;
  readonly subject: string;
  /** The groups at the time when the token was issued. The verifier ignores groups that the subject no longer has. */
  readonly groups: readonly string[];
  /** A request must be allowed by every one of these scopes. Empty if the token is not scoped. */
  readonly scopes: readonly Scope[];
  /** The access key that requested the token. The token becomes invalid together with the key. */
  readonly accessKey: TokenKey;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly id: string;
}

/** The private key with which the installation signs tokens, and the ID of its public key. */
export interface TokenSigner {
  readonly kid: string;
  readonly privateKey: CryptoKey;
}

export function signDirectToken(signer: TokenSigner, claims: DirectTokenClaims): Promise<string> {
  const { name, uid, mark } = claims.accessKey;
  return new SignJWT({ groups: [...claims.groups], scopes: [...claims.scopes], accessKey: { name, uid, mark } })
    .setProtectedHeader({ alg: tokenAlgorithm, kid: signer.kid, typ: 'JWT' })
    .setIssuer(claims.issuer)
    .setAudience(directTokenAudience)
    .setSubject(claims.subject)
    .setIssuedAt(claims.issuedAt)
    .setExpirationTime(claims.expiresAt)
    .setJti(claims.id)
    .sign(signer.privateKey);
}
