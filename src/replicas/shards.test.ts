import { expect, it } from 'vitest';
import { allTerms, leaderTerm, preferredReplica, preferredShards, shardOf } from './shards.ts';

const replicas = ['a', 'b', 'c', 'd', 'e'];

it('all shards have keys, and the leader has none', () => {
  const found = new Set(Array.from({ length: 5_000 }, (_, index) => shardOf(`vc-${index}`)));
  expect([...found].sort()).toEqual(allTerms.filter((term) => term !== leaderTerm));
});

it('a shard depends only on the key, because replicas of all versions must agree', () => {
  expect(['local', 'management', 'p-default/web'].map(shardOf)).toEqual(['shard-26', 'shard-33', 'shard-05']);
});

it('only the terms of a replica move when it leaves', () => {
  const before = new Map(allTerms.map((term) => [term, preferredReplica(term, replicas)]));
  const rest = replicas.filter((replica) => replica !== 'c');
  for (const [term, replica] of before) {
    const after = preferredReplica(term, rest);
    if (replica === 'c') expect(rest).toContain(after);
    else expect(after).toBe(replica);
  }
  for (const replica of replicas)
    expect([...before.values()].filter((each) => each === replica).length).toBeGreaterThan(4);
});

it('the preferred replica does not depend on the order of the replicas', () => {
  for (const term of allTerms) {
    expect(preferredReplica(term, [...replicas].reverse())).toBe(preferredReplica(term, replicas));
  }
  expect(preferredReplica(leaderTerm, [])).toBeUndefined();
});

it('every shard is preferred by one replica', () => {
  const shards = replicas.flatMap((replica) => preferredShards(replica, new Set(replicas)));
  expect(shards.sort()).toEqual(allTerms.filter((term) => term !== leaderTerm));
  expect(preferredShards('f', new Set(replicas))).toEqual([]);
});
