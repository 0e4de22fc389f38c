import { equalJson } from '@flotilla/json';
import { type AccessKey, type AccessKeySpec, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { apiVersionOf } from '../../api/meta.ts';
import { type FieldsOf, groupResourceOf, typedObject } from '../../api/resource.ts';
import { conflict, StatusError, unauthorized } from '../../api/status.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import { agentKeyClaim, isJoinToken } from '../../management/access-keys/agent-keys.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';

type AgentKey = NonNullable<AccessKeySpec['agentKey']>;
type AccessKeyStore = KindStore<FieldsOf<typeof accessKeyKind>>;
type AgentJoin = NonNullable<AccessKeySpec['agentJoin']>;

/** The maximum number of attempts. Agents that join at the same time change the same token. */
const maxAttempts = 20;

/**
 * Creates the function that lets an agent join with a token for several agents. The function makes three writes. The
 * first one records the key of the agent in the token, on the condition that the token is unchanged, so no more agents
 * join than the token permits. The second one creates the access key. The third one records the name of the access key,
 * so that a deleted access key is not created again. An agent that repeats its request continues after the last
 * completed write.
 */
export function joinSeveralAgents(kinds: KindStores) {
  const keys = storeOf(kinds, accessKeyKind);

  return async (cluster: string, { metadata }: AccessKey, agentKey: AgentKey): Promise<void> => {
    const { fingerprint, host = '' } = agentKey;
    const refuse = (detail: string) => conflict(groupResourceOf(clusterKind), cluster, detail);
    const token = await changeToken(keys, metadata.name ?? '', ({ agents, joined }) => {
      if (joined.some((each) => each.fingerprint === fingerprint)) return joined;
      if (joined.length < agents) return [...joined, { fingerprint, host }];
      throw refuse(`${agents} agents have joined with the join token, and it permits no more`);
    });
    const known = keys.byClaim(agentKeyClaim(fingerprint))?.object.metadata.name;
    const created = token.spec?.agentJoin?.joined.find((each) => each.fingerprint === fingerprint)?.accessKey;
    if (known === undefined && created !== undefined)
      throw refuse(`the access key of the agent with the key ${fingerprint} was deleted; create a new join token`);
    const accessKey = known ?? (await createKey(keys, token, agentKey));
    await changeToken(keys, metadata.name ?? '', ({ joined }) =>
      joined.map((each) => (each.fingerprint === fingerprint ? { ...each, accessKey } : each)),
    );
  };
}

/** Replaces the list of the agents that have joined with a token. Returns the changed token. */
async function changeToken(
  keys: AccessKeyStore,
  name: string,
  change: (join: AgentJoin) => AgentJoin['joined'],
): Promise<AccessKey> {
  for (let attempt = 1; ; attempt++) {
    await keys.freshRevision();
    const token = keys.peek('', name)?.object;
    if (token === undefined || !isJoinToken(token)) throw unauthorized();
    const { agents = 0, joined = [] } = token.spec?.agentJoin ?? {};
    const changed = change({ agents, joined });
    if (equalJson(changed, joined)) return token;
    const { uid = '', resourceVersion = '' } = token.metadata;
    const document = { metadata: { uid, resourceVersion }, spec: { agentJoin: { agents, joined: changed } } };
    try {
      const written = await keys.verbs.patch(
        systemContext(''),
        name,
        { type: 'merge', document, findings: [] },
        { dryRun: false, fieldManager: 'flotilla-agent', fieldValidation: 'Ignore', force: false },
      );
      return typedObject(accessKeyKind, written.object);
    } catch (error) {
      const isConflict = error instanceof StatusError && error.code === 409;
      if (!isConflict || attempt === maxAttempts) throw error;
    }
  }
}

/** Creates the access key of an agent with the owner and the settings of its token. Returns its name. */
async function createKey(keys: AccessKeyStore, token: AccessKey, agentKey: AgentKey): Promise<string> {
  const { subject = '', displayName = '', createdBy, createdWith } = token.spec ?? {};
  const { generateName = 'agent-', annotations } = token.metadata;
  const created = await keys.verbs.create(
    systemContext(''),
    {
      apiVersion: apiVersionOf(accessKeyKind),
      kind: accessKeyKind.kind,
      metadata: { generateName, ...(annotations === undefined ? {} : { annotations }) },
      spec: {
        type: 'Agent',
        subject,
        displayName,
        ttl: 0,
        agentKey,
        ...(createdBy === undefined ? {} : { createdBy }),
        ...(createdWith === undefined ? {} : { createdWith }),
      },
    },
    { dryRun: false, fieldManager: 'flotilla-agent', fieldValidation: 'Ignore' },
  );
  return created.object.metadata.name ?? '';
}
