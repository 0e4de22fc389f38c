import type { AgentJoinRequest } from '../../api/agent/policy-feed.ts';
import { accessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { timestamp } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { badRequest, conflict, StatusError, unauthorized } from '../../api/status.ts';
import { readAgentPublicKey } from '../../auth/agent/agent-key.ts';
import { isRecentProof, isSignedBy, joinTokenDigest, readAgentProof } from '../../auth/agent/agent-proof.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { isJoinToken } from '../../management/access-keys/agent-keys.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';

export interface JoinAgentOptions {
  readonly kinds: KindStores;
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
 * Exchanges a join token for the key of an agent. One write replaces the token by the key, on the condition that the token
 * is unchanged. So a token works once, also if several agents use it at the same time at several replicas.
 */
export function createAgentJoin({ kinds, installation, clock }: JoinAgentOptions) {
  const keys = storeOf(kinds, accessKeyKind);

  return async ({ cluster, keyName, secret, ...request }: JoiningAgent): Promise<void> => {
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
    const token = keys.peek('', keyName)?.object;
    if (!isJoinToken(token)) throw unauthorized();
    const { uid = '', resourceVersion = '' } = token?.metadata ?? {};
    const { pem, fingerprint } = publicKey;
    const document = {
      metadata: { uid, resourceVersion },
      spec: { type: 'Agent', ttl: 0, agentKey: { publicKey: pem, fingerprint, joinedAt: timestamp(clock.now()) } },
    };
    try {
      await keys.verbs.patch?.(
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
