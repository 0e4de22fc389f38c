import { projectNamespace } from '../../api/naming.ts';
import type { Identity } from '../../auth/identity.ts';
import { unverifiedClaims } from '../../auth/unverified-claims.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AuthenticatedServiceAccount } from '../instance-access.ts';
import type { InstanceRequest, ServiceAccountOptions } from '../instance-request.ts';
import type { InstanceType, ProjectInstance } from '../instance-type.ts';
import { endOfMaxAge } from './account-token-limits.ts';
import { describeTokenUse } from './describe-token-use.ts';

interface AcceptOptions<Instance extends ProjectInstance> extends ServiceAccountOptions<Instance> {
  readonly type: InstanceType<Instance>;
  instance(namespace: string, name: string): Instance | undefined;
  readonly clock: Clock;
}

/** Returns the identity of a service account; `undefined` if the gateway no longer accepts its token. */
export function acceptAccount<Instance extends ProjectInstance>(
  options: AcceptOptions<Instance>,
  { identity, expiresAt = Number.POSITIVE_INFINITY }: AuthenticatedServiceAccount,
  token: string,
  context: InstanceRequest<Instance>,
): Identity | undefined {
  const { limits, clock, type } = options;
  const now = clock.now();
  const use = describeTokenUse(unverifiedClaims(token), now);
  const end = Math.min(expiresAt, endOfMaxAge(use, limits));
  if (use === undefined || end <= now) return undefined;
  if (Number.isFinite(end)) context.ends = end;
  const { responsible: creator } = identity;
  const isAllowed = () => {
    const current = options.instance(projectNamespace(context.project), context.name);
    if (current === undefined || type.isRevokedUse?.(use, current) !== false) return false;
    return creator === undefined || limits.creatorMayUse === undefined || limits.creatorMayUse(creator, current);
  };
  if (!isAllowed()) return undefined;
  context.isStillAllowed = isAllowed;
  if (context.instance !== undefined) options.recordUse?.(context.instance, use);
  return identity;
}
