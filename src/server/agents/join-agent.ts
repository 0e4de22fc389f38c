import type { AgentJoinRequest } from '../../api/agent/policy-feed.ts';
import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { timestamp } from '../../api/meta.ts';
import { agentUser } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { badRequest, conflict, StatusError, unauthorized } from '../../api/status.ts';
import { type AgentPublicKey, readAgentPublicKey } from '../../auth/agent/agent-key.ts';
import { isRecentProof, isSignedBy, joinTokenDigest, readAgentProof } from '../../auth/agent/agent-proof.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { isAgentKey, isJoinToken } from '../../management/access-keys/agent-keys.ts';
import type { ManagementState } from '../../management/state.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import { joinSeveralAgents } from './join-several-agents.ts';

export interface JoinAgentOptions {
  readonly kinds: KindStores;
  readonly state: Pick<ManagementState, 'accessKeysOf'>;
  /** The ID of this installation. */
  readonly installation: string;
  readonly clock: Clock;
}

/** The authenticated request of an agent that joins. */
export interface JoiningAgent extends AgentJoinRequest {
  readonly cluster: string;
  /** The name of the access key that is the join token. */
  readonly keyName: string;
  /** The secret with which the request was authenticated. */
  readonly secret: string;
}

/**
 * Creates the function that exchanges a join token for the key of an agent. One write replaces the token by the key, on
 * the condition that the token is unchanged. A token for one agent therefore works only once, even if several agents
 * use it at the same time at several replicas.
 */
export function createAgentJoin(options: JoinAgentOptions) {
  const { kinds, state, clock } = options;
  const keys = storeOf(kinds, accessKeyKind);
  const joinSeveral = joinSeveralAgents(kinds);

  return async (agent: JoiningAgent): Promise<void> => {
    const { cluster, keyName, host } = agent;
    const publicKey = verifiedKey(agent, options);
    const token = keys.peek('', keyName)?.object;
    if (token === undefined || !isJoinToken(token)) throw unauthorized();
    const { pem, fingerprint } = publicKey;
    const agentKey = { publicKey: pem, fingerprint, joinedAt: timestamp(clock.now()), host };
    const joined = [...state.accessKeysOf('subject', agentUser(cluster))].filter(isAgentKey);
    refuseSecondBuiltIn(cluster, { fingerprint, host }, [
      ...joined.map(({ spec }) => spec?.agentKey ?? { fingerprint: '' }),
      ...(token.spec?.agentJoin?.joined ?? []),
    ]);
    if (token.spec?.agentJoin !== undefined) return await joinSeveral(cluster, token, agentKey);
    const { uid = '', resourceVersion = '' } = token.metadata;
    const document = { metadata: { uid, resourceVersion }, spec: { type: 'Agent', ttl: 0, agentKey } };
    try {
      await keys.verbs.patch(
        systemContext(''),
        keyName,
        { type: 'merge', document, findings: [] },
        { dryRun: false, fieldManager: 'flotilla-agent', fieldValidation: 'Ignore', force: false },
      );
    } catch (error) {
      if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
      throw conflict(
        groupResourceOf(clusterKind),
        cluster,
        'another agent has used the join token, or it was replaced',
      );
    }
  };
}

/** Returns the key of the agent. Throws 400 if the request does not prove that the agent has this key. */
function verifiedKey(
  { cluster, secret, ...request }: JoiningAgent,
  { installation, clock }: Pick<JoinAgentOptions, 'installation' | 'clock'>,
): AgentPublicKey {
  const publicKey = readAgentPublicKey(request.publicKey);
  if (publicKey === undefined) throw badRequest('publicKey must be a P-256 public key in the PEM format');
  const proof = readAgentProof(request.proof);
  const isForThisJoin =
    proof?.installation === installation &&
    proof.cluster === cluster &&
    proof.fingerprint === publicKey.fingerprint &&
    proof.joinToken === joinTokenDigest(secret);
  if (!isForThisJoin || !isSignedBy(request.proof, publicKey.key)) {
    throw badRequest('proof must be signed with the key in publicKey, for this installation, cluster and join token');
  }
  if (!isRecentProof(proof, clock.now())) {
    throw badRequest(
      `the clock of the agent (${timestamp(proof.issuedAt * 1000)}) differs too much from the clock of the server (${timestamp(clock.now())}); synchronize the clock of the agent`,
    );
  }
  return publicKey;
}

type JoinedAgent = Pick<NonNullable<NonNullable<AccessKey['spec']>['agentKey']>, 'fingerprint' | 'host'>;

/** Throws 409 if the cluster would have two agents and one of them runs the cluster itself. */
function refuseSecondBuiltIn(cluster: string, agent: JoinedAgent, joined: readonly JoinedAgent[]): void {
  const others = joined.filter(({ fingerprint }) => fingerprint !== agent.fingerprint);
  const owner = [agent, ...others].find(({ host }) => host === 'built-in');
  if (others.length === 0 || owner === undefined) return;
  const detail =
    owner === agent
      ? 'an agent started with --built-in runs the cluster itself, so it must be the only agent, but another agent has joined'
      : `the agent with the key ${owner.fingerprint} runs the cluster itself (--built-in), so no other agent can serve it`;
  throw conflict(groupResourceOf(clusterKind), cluster, detail);
}
