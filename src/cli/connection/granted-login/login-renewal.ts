import { createHash } from 'node:crypto';

/** The planned renewal of a saved login. Absent from logins that the server does not renew. */
export interface LoginRenewal {
  /** The time after which commands renew the login. RFC 3339. */
  readonly after: string;
  /**
   * The next access key of the login. It is saved before it is sent to the server, so the login is not lost if the
   * response is lost. Absent if no renewal was started.
   */
  readonly nextKey?: string;
}

/**
 * The part of a login's lifetime after which the login is renewed. The rest of the lifetime gives running commands time
 * to end.
 */
export const renewAfterPart = 0.75;

/**
 * Returns the fingerprint of an access key. A saved login contains the fingerprint of the key that its last renewal
 * replaced.
 */
export function fingerprintOf(accessKey: string): string {
  return createHash('sha256').update(accessKey.trim()).digest('base64url');
}

/** Returns the planned renewal of a login that ends after this number of seconds. */
export function renewalAfter(lifetimeSeconds: number): LoginRenewal {
  return { after: new Date(Date.now() + lifetimeSeconds * 1000 * renewAfterPart).toISOString() };
}
