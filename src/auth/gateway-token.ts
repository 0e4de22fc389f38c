import { type JsonObject, numberAt, objectAt, textAt } from '@flotilla/json';
import { type Scope, signedScopes } from '../api/management/v1/scope.ts';

/** Audience of gateway tokens. Only the audience distinguishes these tokens from other tokens of the installation. */
export const gatewayTokenAudience = 'virtual-cluster';

/** The access key that a token was requested with. */
export interface TokenKey {
  readonly name: string;
  /** The UID of the access key, which distinguishes it from a later key of the same name. */
  readonly uid: string;
  /** The fingerprint of the key's value (`keyFingerprint`). The token becomes invalid if the value changes. */
  readonly mark: string;
}

/**
 * The claims of a gateway token (completions §3). The token gives one caller access to one virtual cluster, as long as
 * the access key that requested the token is valid. Times are seconds since the epoch.
 */
export interface GatewayTokenClaims {
  /** The ID of the installation that issued the token. */
  readonly issuer: string;
  /** The name of the caller. The groups of the caller are looked up at each use. */
  readonly subject: string;
  /** The UID of the instance, which distinguishes it from a later instance of the same name. */
  readonly instance: string;
  readonly accessKey: TokenKey;
  /**
   * The scopes of the access key when it requested the token. These scopes and the current scopes of the key must all
   * allow a request.
   */
  readonly scopes: readonly Scope[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly id: string;
}

export function gatewayTokenPayload(claims: GatewayTokenClaims): JsonObject {
  const { name, uid, mark } = claims.accessKey;
  return {
    iss: claims.issuer,
    aud: gatewayTokenAudience,
    sub: claims.subject,
    instance: claims.instance,
    accessKey: { name, uid, mark },
    scopes: [...claims.scopes],
    iat: claims.issuedAt,
    exp: claims.expiresAt,
    jti: claims.id,
  };
}

/** Reads the claims of a token with a valid signature. `undefined` if the token is not a gateway token of `issuer`. */
export function readGatewayToken(payload: JsonObject, issuer: string): GatewayTokenClaims | undefined {
  if (payload.aud !== gatewayTokenAudience || issuer === '' || payload.iss !== issuer) return undefined;
  const [subject, instance, id] = [textAt(payload, 'sub'), textAt(payload, 'instance'), textAt(payload, 'jti')];
  const [issuedAt, expiresAt] = [numberAt(payload, 'iat'), numberAt(payload, 'exp')];
  const key = objectAt(payload, 'accessKey');
  const [name, uid, mark] = [textAt(key, 'name'), textAt(key, 'uid'), textAt(key, 'mark')];
  const scopes = signedScopes(payload.scopes);
  if (scopes === undefined || issuedAt === undefined || expiresAt === undefined) return undefined;
  if ([subject, instance, id, name, uid, mark].includes('')) return undefined;
  return { issuer, subject, instance, accessKey: { name, uid, mark }, scopes, issuedAt, expiresAt, id };
}
