import type { JsonObject } from '@flotilla/json';
import { type CryptoKey, SignJWT } from 'jose';
import type { TokenKey } from './gateway-token.ts';

/** Distinguishes direct-endpoint tokens from other tokens of the installation's signer: only the audience differs. */
export const directTokenAudience = 'direct-cluster-endpoint';
export const tokenAlgorithm = 'ES256';

/** The claims of a direct-endpoint token (completions §6). Times are seconds since the epoch. */
export interface DirectTokenClaims {
  /** The ID of the installation, which the resource `selves` returns as `status.instanceID`. */
  readonly issuer: string;
  readonly subject: string;
  /** An upper bound: the verifier computes the current groups of the subject again. */
  readonly groups: readonly string[];
  /** All scopes must allow a request. Empty if the token is not scoped. */
  readonly scopes: readonly JsonObject[];
  /** The key that requested the token. The token becomes invalid with it. */
  readonly accessKey: TokenKey;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly id: string;
}

/** The installation's private key and the ID of its public key. */
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
