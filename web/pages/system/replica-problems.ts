import type { ReplicaList, ReplicaStatus } from '../../../src/api/replicas/replica-list.ts';

/**
 * The lag of a server's caches, in seconds, above which the page reports a problem. The lag is normally less than a
 * second.
 */
const maxLagSeconds = 2;

/**
 * The maximum clock difference, in seconds, between a server and the server that responds. With a larger difference,
 * credentials become valid too early or stay valid for too long.
 */
const maxSkewSeconds = 2;

/** Returns a sentence for each problem of a server that an administrator should check. */
export function replicaProblems(replica: ReplicaStatus, { schema }: Pick<ReplicaList, 'schema'>): readonly string[] {
  const { lagSeconds, clockSkewSeconds, hasSameSettings, isOutdated } = replica;
  return [
    ...(lagSeconds === undefined || lagSeconds > maxLagSeconds ? ['Its caches are not confirmed as current.'] : []),
    ...(Math.abs(clockSkewSeconds) > maxSkewSeconds ? [`Its clock is ${skewText(clockSkewSeconds)}.`] : []),
    ...(hasSameSettings ? [] : ['Its limits, permissions or API prefix differ from those of this server.']),
    ...(isOutdated ? [`It keeps the store at schema ${schema ?? 'of an older release'}. Upgrade or stop it.`] : []),
  ];
}

function skewText(seconds: number): string {
  return `${Math.abs(seconds).toFixed(1)} s ${seconds > 0 ? 'ahead of' : 'behind'} this server`;
}
