import { SignJWT } from 'jose';
import { type TokenSigner, tokenAlgorithm } from '../../auth/direct-token.ts';
import type { UserClaims } from './user-claims.ts';

/** The contents of an ID token. Times are seconds since the epoch. */
export interface IdToken {
  readonly issuer: string;
  readonly clientId: string;
  /** The name of the login in which the user signed in to the app (`sid`). */
  readonly login: string;
  readonly claims: UserClaims;
  /** The time at which the user logged in to this server. */
  readonly authTime: number;
  /** The nonce of the authorization request. Absent in refreshed tokens. */
  readonly nonce: string | undefined;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export function signIdToken(signer: TokenSigner, token: IdToken): Promise<string> {
  const { nonce, authTime, claims, login } = token;
  return new SignJWT({ ...claims, auth_time: authTime, sid: login, ...(nonce === undefined ? {} : { nonce }) })
    .setProtectedHeader({ alg: tokenAlgorithm, kid: signer.kid, typ: 'JWT' })
    .setIssuer(token.issuer)
    .setAudience(token.clientId)
    .setIssuedAt(token.issuedAt)
    .setExpirationTime(token.expiresAt)
    .sign(signer.privateKey);
}
