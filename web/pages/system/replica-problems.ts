import type { ReplicaList, ReplicaStatus } from '../../../src/api/replicas/replica-list.ts';

/** A server whose caches are older than this is behind the others. They are normally younger than a second. */
const maxLagSeconds = 2;

/** A clock that differs more than this from that of the answering server makes credentials valid too early or too long. */
const maxSkewSeconds = 2;

/** Returns a sentence for everything about a server that an administrator should look into. */
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
