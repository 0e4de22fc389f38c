import { accessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import type { ClusterAgent } from '../../api/management/v1/cluster-agent.ts';
import { StatusError } from '../../api/status.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { RevisionCheck } from '../../store/store.ts';

export interface AgentEntry {
  readonly cluster: string;
  /** The name of the access key of the agent. */
  readonly agent: string;
}

/**
 * The maximum number of attempts of a status write. The agents of a cluster can be connected to different replicas, and
 * these replicas write the same list.
 */
const maxAttempts = 10;

/** The entries of agents in the status of their clusters. */
export class AgentStatus {
  readonly #kinds: KindStores;

  constructor(kinds: KindStores) {
    this.#kinds = kinds;
  }

  /** Returns the agents of a cluster. */
  of(cluster: string): readonly ClusterAgent[] {
    return storeOf(this.#kinds, clusterKind).peek('', cluster)?.object.status?.agents ?? [];
  }

  /**
   * Merges changes into the entry of an agent, and removes the entries of agents whose keys no longer exist. A field
   * whose new value is `undefined` is removed. Has no effect if nothing changes or the cluster does not exist. Changes
   * that depend on the current entry are passed as a function, because another replica may change the entry at the same
   * time. Background work passes its `fence`.
   */
  async merge(
    { cluster, agent }: AgentEntry,
    changes: AgentChanges | ((entry: ClusterAgent) => AgentChanges),
    fence?: RevisionCheck,
  ): Promise<void> {
    const clusters = storeOf(this.#kinds, clusterKind);
    for (let attempt = 1; ; attempt++) {
      // Waits for the caches, because the entry of an agent may be newer than the cached copy of the agent's key.
      await clusters.freshRevision();
      const found = clusters.peek('', cluster)?.object;
      if (found === undefined) return;
      const before = found.status?.agents ?? [];
      const agents = this.#changed(before, agent, typeof changes === 'function' ? changes : () => changes);
      if (JSON.stringify(agents) === JSON.stringify(before)) return;
      const { uid = '', resourceVersion = '' } = found.metadata;
      try {
        await clusters.status?.patch(
          systemContext('', undefined, fence),
          cluster,
          {
            type: 'merge',
            document: { metadata: { uid, resourceVersion }, status: { agents } },
            findings: [],
          },
          { dryRun: false, fieldManager: 'flotilla-agent', fieldValidation: 'Ignore', force: false },
        );
        return;
      } catch (error) {
        if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
        if (error.code === 404) return;
        if (attempt === maxAttempts) throw error;
      }
    }
  }

  #changed(before: readonly ClusterAgent[], name: string, changes: (entry: ClusterAgent) => AgentChanges) {
    const keys = storeOf(this.#kinds, accessKeyKind);
    const hasEntry = before.some((entry) => entry.name === name);
    return [...before, ...(hasEntry ? [] : [{ name }])]
      .filter((entry) => keys.peek('', entry.name) !== undefined)
      .map((entry) => (entry.name === name ? withFields(entry, changes(entry)) : entry));
  }
}

export type AgentChanges = {
  readonly [Field in Exclude<keyof ClusterAgent, 'name'>]?: ClusterAgent[Field] | undefined;
};

function withFields(entry: ClusterAgent, fields: AgentChanges): ClusterAgent {
  const merged: AgentChanges & Pick<ClusterAgent, 'name'> = { ...entry, ...fields };
  return JSON.parse(JSON.stringify(merged));
}
