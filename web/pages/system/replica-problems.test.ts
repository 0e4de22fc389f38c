import { describe, expect, it } from 'vitest';
import type { ReplicaStatus } from '../../../src/api/replicas/replica-list.ts';
import { replicaProblems } from './replica-problems.ts';

const healthy: ReplicaStatus = {
  name: 'a',
  isThis: false,
  version: '1.2.3',
  address: 'https://a:8443',
  isLeader: false,
  shards: 32,
  revision: 7,
  lagSeconds: 0.4,
  clockSkewSeconds: 0,
  hasSameSettings: true,
  schemas: [1, 2],
  isOutdated: false,
};
const problems = (different: Partial<ReplicaStatus>) => replicaProblems({ ...healthy, ...different }, { schema: 1 });

describe('the problems of a replica', () => {
  it('are none for a replica with current caches, the same clock and settings', () => {
    expect(problems({})).toEqual([]);
  });

  it('name old caches, the clock, other settings and an old schema', () => {
    expect(problems({ lagSeconds: 3 })).toEqual(['Its caches are not confirmed as current.']);
    expect(problems({ clockSkewSeconds: -4 })).toEqual(['Its clock is 4.0 s behind this server.']);
    expect(problems({ clockSkewSeconds: 2.5 })).toEqual(['Its clock is 2.5 s ahead of this server.']);
    expect(problems({ hasSameSettings: false })).toHaveLength(1);
    expect(problems({ isOutdated: true })).toEqual(['It keeps the store at schema 1. Upgrade or stop it.']);
  });

  it('include caches whose age the replica has not reported', () => {
    const { lagSeconds: _, ...unknown } = healthy;
    expect(replicaProblems(unknown, {})).toEqual(['Its caches are not confirmed as current.']);
  });
});
