import { createHash } from 'node:crypto';

/** The time at which a saved login is renewed. Absent from logins that the server does not renew. */
export interface LoginRenewal {
  /** The time after which commands renew the login. RFC 3339. */
  readonly after: string;
  /**
   * The value that the login gets. It is saved before the server receives it, so that the login is not lost if the response is.
   * Absent if no renewal was started.
   */
  readonly nextKey?: string;
}

/** The part of the lifetime of a login after which it is renewed, so that running commands have time to end. */
export const renewAfterPart = 0.75;

/** Returns the text by which a saved login names the value that it had before its last renewal. */
export function fingerprintOf(accessKey: string): string {
  return createHash('sha256').update(accessKey.trim()).digest('base64url');
}

/** Returns when to renew a login that ends after this number of seconds. */
export function renewalAfter(lifetimeSeconds: number): LoginRenewal {
  return { after: new Date(Date.now() + lifetimeSeconds * 1000 * renewAfterPart).toISOString() };
}
