import { describe, expect, it } from 'vitest';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import { endOfMaxAge, isRevokedUse } from './account-token-limits.ts';
import { describeTokenUse } from './describe-token-use.ts';

const noon = Date.parse('2026-01-01T12:00:00Z');
const tokenOf = (account: string, issued: number | undefined) => {
  const use = describeTokenUse(
    { sub: `system:serviceaccount:default:${account}`, ...(issued === undefined ? {} : { iat: issued / 1000 }) },
    noon,
  );
  if (use === undefined) throw new Error('not a token of a service account');
  return use;
};

describe('a service account token at the gateway', () => {
  const instance: VirtualClusterInstance = {
    apiVersion: 'management.platform.sh/v1',
    kind: 'VirtualClusterInstance',
    metadata: { name: 'demo' },
    status: {
      revokedTokens: {
        issuedBefore: '2026-01-01T11:00:00Z',
        serviceAccounts: { 'default/robot': '2026-01-01T12:00:00Z' },
      },
    },
  };
  const hour = 3_600_000;

  it('is revoked if it was issued before the time of its service account or of all', () => {
    const isRevoked = (account: string, issued?: number) => isRevokedUse(tokenOf(account, issued), instance);
    expect([isRevoked('robot', noon - 1000), isRevoked('robot', noon)]).toEqual([true, false]);
    expect([isRevoked('other', noon - hour - 1000), isRevoked('other', noon - hour)]).toEqual([true, false]);
    expect(isRevoked('other')).toBe(true);
    expect(isRevokedUse(tokenOf('other', undefined), { ...instance, status: {} })).toBe(false);
  });

  it('reaches its maximum age even if it does not expire', () => {
    expect(endOfMaxAge(tokenOf('robot', noon), { maxAgeSeconds: 3600 })).toBe(noon + hour);
    expect(endOfMaxAge(tokenOf('robot', undefined), { maxAgeSeconds: 3600 })).toBe(0);
    expect(endOfMaxAge(tokenOf('robot', noon), { maxAgeSeconds: 0 })).toBe(Number.POSITIVE_INFINITY);
  });

  it('names the Secret that holds it, as built-in clusters and as Kubernetes write it', () => {
    const sub = 'system:serviceaccount:default:robot';
    const secrets = [
      { sub, 'kubernetes.io': { secret: { name: 's' } } },
      { sub, 'kubernetes.io/serviceaccount/secret.name': 's' },
    ].map((claims) => describeTokenUse(claims, noon)?.secret);
    expect(secrets).toEqual(['s', 's']);
    expect(describeTokenUse({ sub: 'anna' }, noon)).toBeUndefined();
  });
});
