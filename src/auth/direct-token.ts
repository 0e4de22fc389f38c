import { type CryptoKey, SignJWT } from 'jose';
import type { JsonObject } from '../lib/json-value.ts';
import type { TokenKey } from './gateway-token.ts';

/** Tokens of the installation's signer, in one place: what they are for is told by their audience alone. */
export const directTokenAudience = 'direct-cluster-endpoint';
export const tokenAlgorithm = 'ES256';

/** What a direct-endpoint token says (completions §6). Times are seconds since the epoch. */
export interface DirectTokenClaims {
  /** The installation, as `instanceID` of `selves` tells it. */
  readonly issuer: string;
  readonly subject: string;
  /** An upper bound: whoever checks the token computes anew what is true of the subject. */
  readonly groups: readonly string[];
  /** All of them must allow; none: no narrowing. */
  readonly scopes: readonly JsonObject[];
  /** The key that asked; the token dies with it. */
  readonly accessKey: TokenKey;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly id: string;
}

/** The installation's private key, and the name under which its public half is found. */
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
