import { numberAt, objectAt, textAt } from '../lib/json-path.ts';
import { isJsonObject, type JsonObject } from '../lib/json-value.ts';

/** What tells these tokens from others of the installation's signer. */
export const gatewayTokenAudience = 'virtual-cluster';

/** The access key that a token was made with. */
export interface TokenKey {
  readonly name: string;
  /** Tells it from a later key of the same name. */
  readonly uid: string;
  /** Tells it from the same key with another value (`keyMark`). */
  readonly mark: string;
}

/**
 * What a gateway token says (completions §3). It opens one virtual cluster for one caller, for as long as the key that
 * asked for it is good. Times are seconds since the epoch.
 */
export interface GatewayTokenClaims {
  /** The installation. */
  readonly issuer: string;
  /** The caller's name. What groups they are in is found out anew whenever it is used. */
  readonly subject: string;
  /** The uid of the instance: a later one of the same name is another one. */
  readonly instance: string;
  readonly accessKey: TokenKey;
  /** What narrowed the key when it asked; all of them must allow, besides what narrows it now. */
  readonly scopes: readonly JsonObject[];
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

/** Reads the payload of a token whose signature was checked; undefined: it is no gateway token of that issuer. */
export function readGatewayToken(payload: JsonObject, issuer: string): GatewayTokenClaims | undefined {
  if (payload.aud !== gatewayTokenAudience || issuer === '' || payload.iss !== issuer) return undefined;
  const [subject, instance, id] = [textAt(payload, 'sub'), textAt(payload, 'instance'), textAt(payload, 'jti')];
  const [issuedAt, expiresAt] = [numberAt(payload, 'iat'), numberAt(payload, 'exp')];
  const key = objectAt(payload, 'accessKey');
  const [name, uid, mark] = [textAt(key, 'name'), textAt(key, 'uid'), textAt(key, 'mark')];
  const { scopes } = payload;
  if (!Array.isArray(scopes) || !scopes.every(isJsonObject)) return undefined;
  if (issuedAt === undefined || expiresAt === undefined) return undefined;
  if ([subject, instance, id, name, uid, mark].includes('')) return undefined;
  return { issuer, subject, instance, accessKey: { name, uid, mark }, scopes, issuedAt, expiresAt, id };
}
