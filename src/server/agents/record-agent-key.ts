import type { AccessKey } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { StatusError } from '../../api/status.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';

/**
 * Returns a function that shows the key of an agent in the status of its cluster. It is called for each request of an agent,
 * and writes only if the status shows another key.
 */
export function createAgentKeyRecorder(kinds: KindStores) {
  const clusters = storeOf(kinds, clusterKind);
  return async (name: string, key: AccessKey | undefined): Promise<void> => {
    const cluster = clusters.peek('', name)?.object;
    const shown = cluster?.status?.agent;
    const { fingerprint, joinedAt } = key?.spec?.agentKey ?? {};
    if (cluster === undefined || shown?.keyFingerprint === fingerprint) return;
    const agent = { keyFingerprint: fingerprint ?? null, joinedAt: joinedAt ?? null };
    try {
      await clusters.status?.patch(
        systemContext(''),
        name,
        { type: 'merge', document: { metadata: { uid: cluster.metadata.uid ?? '' }, status: { agent } }, findings: [] },
        { dryRun: false, fieldManager: 'flotilla-agent', fieldValidation: 'Ignore', force: false },
      );
    } catch (error) {
      // The cluster was deleted at this moment.
      if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
    }
  };
}
