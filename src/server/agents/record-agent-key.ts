import type { AccessKey } from '../../api/management/v1/access-key.ts';
import type { AgentStatus } from './agent-status.ts';

/**
 * Returns a function that records the key of an agent in the status of its cluster. It is called for each request of an
 * agent, and writes only if the status does not contain the key.
 */
export function createAgentKeyRecorder(status: AgentStatus) {
  return async (cluster: string, key: AccessKey | undefined): Promise<void> => {
    const agent = key?.metadata.name;
    if (agent === undefined) return;
    const { fingerprint: keyFingerprint, joinedAt } = key?.spec?.agentKey ?? {};
    const shown = status.of(cluster).find(({ name }) => name === agent);
    if (shown !== undefined && shown.keyFingerprint === keyFingerprint) return;
    await status.merge({ cluster, agent }, { keyFingerprint, joinedAt });
  };
}
