import { createHash } from 'node:crypto';

/** The number of shards. It must not change while replicas of different versions run. */
const shardCount = 64;

/** The term for all work that is not divided into shards. */
export const leaderTerm = 'leader';

const shardTerms: readonly string[] = Array.from(
  { length: shardCount },
  (_, index) => `shard-${String(index).padStart(2, '0')}`,
);

/** The names of all terms: the leader and the shards. */
export const allTerms: readonly string[] = [leaderTerm, ...shardTerms];

/** Returns the term of a key, for example of a plane ID or of the namespace and name of an instance. */
export function shardOf(key: string): string {
  return shardTerms[hash(key) % shardCount] ?? leaderTerm;
}

/**
 * Returns the replica that should hold a term; `undefined` if there are no replicas. It is the replica for which the
 * hash of term and replica is highest, so if a replica joins or leaves, only the terms of that replica move.
 */
export function preferredReplica(term: string, replicas: Iterable<string>): string | undefined {
  let preferred: string | undefined;
  let highest = -1;
  for (const replica of replicas) {
    const weight = hash(`${term}/${replica}`);
    if (weight > highest || (weight === highest && replica > (preferred ?? ''))) {
      preferred = replica;
      highest = weight;
    }
  }
  return preferred;
}

/** Returns the shards that `replica` should hold if `replicas` are the registered replicas. */
export function preferredShards(replica: string, replicas: ReadonlySet<string>): readonly string[] {
  return shardTerms.filter((shard) => preferredReplica(shard, replicas) === replica);
}

/** Returns a hash below 2^32 that is equal on all replicas. */
function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}
