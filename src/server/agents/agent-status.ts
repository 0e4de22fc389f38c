import { accessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import type { ClusterAgent } from '../../api/management/v1/cluster-agent.ts';
import { StatusError } from '../../api/status.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';

export interface AgentEntry {
  readonly cluster: string;
  /** The name of the access key of the agent. */
  readonly agent: string;
}

/** The number of attempts. The agents of a cluster can be connected to different replicas, which write the same list. */
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
   * Merges `fields` into the entry of an agent, and removes the entries of agents whose keys no longer exist. A field with
   * `undefined` is removed. Has no effect if nothing changes or the cluster does not exist.
   */
  async merge({ cluster, agent }: AgentEntry, fields: Changes): Promise<void> {
    const clusters = storeOf(this.#kinds, clusterKind);
    for (let attempt = 1; ; attempt++) {
      // The entry of an agent may be newer than what this replica knows about its key.
      await clusters.freshRevision();
      const found = clusters.peek('', cluster)?.object;
      if (found === undefined) return;
      const before = found.status?.agents ?? [];
      const agents = this.#changed(before, agent, fields);
      if (JSON.stringify(agents) === JSON.stringify(before)) return;
      const { uid = '', resourceVersion = '' } = found.metadata;
      try {
        await clusters.status?.patch(
          systemContext(''),
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

  #changed(before: readonly ClusterAgent[], name: string, fields: Changes): ClusterAgent[] {
    const keys = storeOf(this.#kinds, accessKeyKind);
    const hasEntry = before.some((entry) => entry.name === name);
    return [...before, ...(hasEntry ? [] : [{ name }])]
      .filter((entry) => keys.peek('', entry.name) !== undefined)
      .map((entry) => (entry.name === name ? withFields(entry, fields) : entry));
  }
}

type Changes = { readonly [Field in Exclude<keyof ClusterAgent, 'name'>]?: ClusterAgent[Field] | undefined };

function withFields(entry: ClusterAgent, fields: Changes): ClusterAgent {
  const merged: Changes & Pick<ClusterAgent, 'name'> = { ...entry, ...fields };
  return JSON.parse(JSON.stringify(merged));
}
