import { describe, expect, it } from 'vitest';
import { newInstallationIsolation, withNewInstallationIsolation } from './default-isolation.ts';
import { effectiveIsolation, type HostIsolation, hostIsolationErrors } from './host-isolation.ts';
import { isReservedLabel } from './reserved-labels.ts';

describe('the isolation of a host namespace', () => {
  it('is the Pod Security level baseline by default', () => {
    expect(effectiveIsolation()).toEqual({ podSecurity: 'baseline' });
    expect(effectiveIsolation({ podSecurity: 'privileged' })).toEqual({ podSecurity: 'privileged' });
  });

  it('can be made stricter by the project, never more lenient', () => {
    const level = (cluster: 'privileged' | 'restricted', project: 'privileged' | 'baseline' | 'restricted') =>
      effectiveIsolation({ podSecurity: cluster }, { podSecurity: project }).podSecurity;
    expect(level('privileged', 'restricted')).toBe('restricted');
    expect(level('restricted', 'privileged')).toBe('restricted');
    expect(level('privileged', 'baseline')).toBe('baseline');
    expect(effectiveIsolation({ isolateNetwork: true }, { isolateNetwork: false })).toMatchObject({
      isolateNetwork: true,
    });
  });

  it('has the smaller quantity of each quota and maximum, and the defaults of the project', () => {
    expect(
      effectiveIsolation(
        {
          resourceQuota: { pods: 50, 'requests.memory': '2Gi' },
          limitRange: { default: { cpu: '1', memory: '1Gi' }, max: { cpu: 2 } },
        },
        {
          resourceQuota: { pods: '100', 'requests.memory': '1500Mi', 'requests.cpu': 4 },
          limitRange: { default: { cpu: '500m' }, max: { cpu: '4' } },
        },
      ),
    ).toEqual({
      podSecurity: 'baseline',
      resourceQuota: { pods: 50, 'requests.memory': '1500Mi', 'requests.cpu': 4 },
      limitRange: { default: { cpu: '500m', memory: '1Gi' }, max: { cpu: 2 } },
    });
  });

  it('has the default of each setting that neither the cluster nor the project sets', () => {
    const defaults = {
      podSecurity: 'restricted' as const,
      isolateNetwork: true,
      resourceQuota: { pods: 10 },
      limitRange: { default: { cpu: '1' }, max: { cpu: '2' } },
    };
    expect(effectiveIsolation({}, {}, defaults)).toEqual(defaults);
    expect(
      effectiveIsolation(
        { podSecurity: 'baseline', limitRange: { max: { cpu: '4' } } },
        { isolateNetwork: false, resourceQuota: { pods: 50 } },
        defaults,
      ),
    ).toEqual({
      podSecurity: 'baseline',
      resourceQuota: { pods: 50 },
      limitRange: { default: { cpu: '1' }, max: { cpu: '4' } },
    });
    expect(effectiveIsolation({}, { podSecurity: 'privileged' }, defaults).podSecurity).toBe('restricted');
  });

  it('denies the ranges of the cluster and of the project, or the default ones if neither sets any', () => {
    const denied = (cluster: HostIsolation, project: HostIsolation) =>
      effectiveIsolation(cluster, project, newInstallationIsolation).deniedEgressCIDRs;
    expect(denied({ deniedEgressCIDRs: ['10.0.0.0/8'] }, { deniedEgressCIDRs: ['::/0', '10.0.0.0/8'] })).toEqual([
      '10.0.0.0/8',
      '::/0',
    ]);
    expect(denied({}, {})).toContain('169.254.0.0/16');
    expect(denied({ deniedEgressCIDRs: [] }, {})).toBeUndefined();
  });

  it('of a new installation has valid defaults, and each of them can be replaced or removed', () => {
    expect(hostIsolationErrors(newInstallationIsolation, 'hosts.isolation')).toEqual([]);
    expect(effectiveIsolation({}, {}, withNewInstallationIsolation({}))).toEqual({
      podSecurity: 'baseline',
      ...newInstallationIsolation,
    });
    const off = {
      isolateNetwork: false,
      deniedEgressCIDRs: [],
      resourceQuota: {},
      limitRange: { default: {}, defaultRequest: {} },
    };
    expect(effectiveIsolation({}, {}, withNewInstallationIsolation(off))).toEqual({ podSecurity: 'baseline' });
    expect(effectiveIsolation(off, {}, newInstallationIsolation)).toEqual({ podSecurity: 'baseline' });
    expect(withNewInstallationIsolation({ limitRange: { max: { cpu: 2 } } }).limitRange).toEqual({
      ...newInstallationIsolation.limitRange,
      max: { cpu: 2 },
    });
  });

  it('must have ranges that network policies accept', () => {
    const ranges = ['10.0.0.0/8', '::/0', '10.0.0.1/8', '10.0.0.0', '010.0.0.0/8', '::ffff:10.0.0.0/104', 'fe80::/129'];
    expect(hostIsolationErrors({ deniedEgressCIDRs: ranges }, 'f').map(({ field }) => field)).toEqual(
      [2, 3, 4, 5, 6].map((index) => `f.deniedEgressCIDRs[${index}]`),
    );
  });

  it('must have valid quantities', () => {
    expect(
      hostIsolationErrors(
        { resourceQuota: { pods: 'many' }, limitRange: { max: { cpu: '-1' } } },
        'spec.hostIsolation',
      ),
    ).toMatchObject([
      { field: 'spec.hostIsolation.resourceQuota[pods]' },
      { field: 'spec.hostIsolation.limitRange.max[cpu]' },
    ]);
  });

  it('reserves the labels that it depends on', () => {
    for (const label of ['pod-security.kubernetes.io/enforce', 'platform.sh/owner', 'kubernetes.io/metadata.name'])
      expect(isReservedLabel(label), label).toBe(true);
    expect(isReservedLabel('team')).toBe(false);
  });
});
