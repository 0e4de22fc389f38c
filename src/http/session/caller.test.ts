import { describe, expect, it } from 'vitest';
import type { Identity } from '../../auth/identity.ts';
import { isUserTenant, tenantKeyOf } from './caller.ts';

const caller = (parts: Partial<Identity>): Identity => ({
  user: { name: 'anna', groups: [] },
  system: false,
  signal: new AbortController().signal,
  ...parts,
});

describe('the tenant of a caller', () => {
  it('is the same with all of its access keys, and when it impersonates others', () => {
    const tenant = tenantKeyOf(caller({ accessKey: 'one' }));
    expect(isUserTenant(tenant)).toBe(true);
    expect(tenantKeyOf(caller({ accessKey: 'two' }))).toBe(tenant);
    const impersonated = { user: { name: 'bob', groups: [] }, impersonatedBy: 'anna' };
    expect(tenantKeyOf(caller({ accessKey: 'one', ...impersonated }))).toBe(tenant);
    expect(tenantKeyOf(caller({ accessKey: 'one', user: { name: 'bob', groups: [] } }))).not.toBe(tenant);
  });

  it('is the virtual cluster of a service account', () => {
    const tenant = tenantKeyOf(caller({ fairQueueKey: 'vc-1/system:serviceaccount:a:b' }));
    expect(tenantKeyOf(caller({ fairQueueKey: 'vc-1/system:serviceaccount:a:c' }))).toBe(tenant);
    expect(tenantKeyOf(caller({ fairQueueKey: 'vc-2/system:serviceaccount:a:b' }))).not.toBe(tenant);
    expect(isUserTenant(tenant)).toBe(false);
  });
});
