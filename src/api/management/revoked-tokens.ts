import { type Static, t } from '../schema/schema-builder.ts';

/** The maximum number of service accounts whose tokens are revoked separately. */
export const maxRevokedAccounts = 200;

/** Schema of `status.revokedTokens` of an instance. */
export const revokedTokensSchema = t.object(
  {
    issuedBefore: t.optional(
      t.timestamp({ description: 'The gateway rejects all service account tokens that were issued before this time.' }),
    ),
    serviceAccounts: t.optional(
      t.map(t.timestamp(), {
        description:
          'Times before which tokens of one service account are rejected. The keys have the form namespace/name.',
      }),
    ),
  },
  { description: 'Service account tokens of the virtual cluster that the gateway no longer accepts.' },
);

export type RevokedTokens = Static<typeof revokedTokensSchema>;

/** A service account inside a virtual cluster. */
export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the key under which `serviceAccounts` contains a service account. */
export function revokedAccountKey({ namespace, name }: ServiceAccountName): string {
  return `${namespace}/${name}`;
}

/**
 * Returns the time before which tokens of the service account are revoked, in milliseconds since the epoch. `-Infinity` if
 * none is.
 */
export function revocationTime(revoked: RevokedTokens | undefined, account: ServiceAccountName): number {
  const times = [revoked?.issuedBefore, revoked?.serviceAccounts?.[revokedAccountKey(account)]];
  return Math.max(...times.map((time) => (time === undefined ? Number.NEGATIVE_INFINITY : Date.parse(time))));
}
