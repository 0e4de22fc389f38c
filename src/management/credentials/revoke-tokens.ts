import type { JsonObject } from '@flotilla/json';
import {
  maxRevokedAccounts,
  type RevokedTokens,
  revokedAccountKey,
  type ServiceAccountName,
} from '../../api/management/revoked-tokens.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import { timestamp } from '../../api/meta.ts';
import type { Clock } from '../../lib/clock.ts';
import { contextWithChanges, type RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';

export interface TokenRevocation {
  readonly instance: VirtualClusterInstance;
  /** The service accounts whose tokens are revoked, or `all` for all service accounts of the virtual cluster. */
  readonly accounts: readonly ServiceAccountName[] | 'all';
  /**
   * The maximum age of tokens at the gateway in seconds; 0 means no limit. Entries that revoke only older tokens are
   * not needed.
   */
  readonly maxAgeSeconds: number;
}

/** Returns the number of service accounts that will have a separate revocation entry after this revocation. */
export function countRevokedAccounts({ instance, accounts, maxAgeSeconds }: TokenRevocation, now: number): number {
  if (accounts === 'all') return 0;
  const current = neededEntries(instance.status?.revokedTokens, maxAgeSeconds, now);
  return new Set([...Object.keys(current), ...accounts.map(revokedAccountKey)]).size;
}

export const tooManyRevokedAccounts = `must not revoke tokens of more than ${maxRevokedAccounts} service accounts one by one; revoke all at once (spec.revokeAll)`;

export interface RevokeOptions {
  readonly instances: KindStore;
  readonly clock: Clock;
  readonly context: RequestContext;
}

/**
 * Records in the status of the instance that all tokens issued until now are revoked. The time of issue in a token is
 * in whole seconds. Therefore the function waits until the recorded time has passed, so that tokens issued after its
 * return are valid.
 */
export async function revokeTokens(revocation: TokenRevocation, options: RevokeOptions): Promise<void> {
  await waitUntil(await recordRevocation(revocation, options), options.clock);
}

/**
 * Records the revocation and returns the recorded time. The caller must wait until this time has passed before it
 * responds.
 */
export async function recordRevocation(
  revocation: TokenRevocation,
  { instances, clock, context }: RevokeOptions,
): Promise<number> {
  const { metadata, status } = revocation.instance;
  const { namespace = '', name = '', uid = '' } = metadata;
  const time = (Math.floor(clock.now() / 1000) + 1) * 1000;
  const revokedTokens = revocationPatch(revocation, status?.revokedTokens, time);
  // The status is written with the server's permissions. The caller's permission for the subresource was checked
  // before.
  await instances.status?.patch(
    contextWithChanges(context, { system: true, namespace }),
    name,
    { type: 'merge', document: { metadata: { uid }, status: { revokedTokens } }, findings: [] },
    { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false },
  );
  return time;
}

/** Resolves when the clock has reached the time. */
export async function waitUntil(time: number, clock: Clock): Promise<void> {
  const left = time - clock.now();
  if (left > 0) await new Promise<void>((resolve) => clock.after(left, resolve));
}

/** Returns a merge patch with only the changed entries, so that concurrent revocations do not undo each other. */
function revocationPatch(
  { accounts, maxAgeSeconds }: TokenRevocation,
  current: RevokedTokens = {},
  time: number,
): JsonObject {
  if (accounts === 'all') return { issuedBefore: timestamp(time), serviceAccounts: null };
  const needed = neededEntries(current, maxAgeSeconds, time);
  const obsolete = Object.keys(current.serviceAccounts ?? {}).filter((key) => needed[key] === undefined);
  return {
    serviceAccounts: {
      ...Object.fromEntries(obsolete.map((key) => [key, null])),
      ...Object.fromEntries(accounts.map((account) => [revokedAccountKey(account), timestamp(time)])),
    },
  };
}

/**
 * Returns the revocation entries of service accounts that are still needed: those that revoke tokens which may be
 * younger than the maximum age.
 */
function neededEntries(
  revoked: RevokedTokens = {},
  maxAgeSeconds: number,
  now: number,
): Partial<NonNullable<RevokedTokens['serviceAccounts']>> {
  const entries = Object.entries(revoked.serviceAccounts ?? {});
  return Object.fromEntries(
    entries.filter(([, time]) => maxAgeSeconds === 0 || Date.parse(time) + maxAgeSeconds * 1000 > now),
  );
}
