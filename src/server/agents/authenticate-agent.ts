import { accessKeyKind } from '../../api/management/v1/access-key.ts';
import { readAgentPublicKey } from '../../auth/agent/agent-key.ts';
import { isRecentProof, isSignedBy, readAgentProof } from '../../auth/agent/agent-proof.ts';
import { UsedProofs } from '../../auth/agent/used-proofs.ts';
import type { Identity } from '../../auth/identity.ts';
import { keyFingerprint } from '../../auth/key-state.ts';
import type { AuthenticatedChainOptions } from '../../http/chain.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Clock } from '../../lib/clock.ts';
import { agentKeyClaim } from '../../management/access-keys/agent-keys.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { AccessKeys } from '../auth/access-keys.ts';

export interface AuthenticateAgentOptions {
  readonly accessKeys: Pick<AccessKeys, 'authenticator' | 'current'>;
  readonly kinds: KindStores;
  /** The ID of this installation. */
  readonly installation: string;
  readonly clock: Clock;
}

/**
 * Creates the authentication of the agent API. The agent API is the only API that accepts the proofs of agents that
 * have joined. `authenticateOthers` authenticates all other credentials.
 */
export function createAgentAuthentication(
  { accessKeys, kinds, installation, clock }: AuthenticateAgentOptions,
  authenticateOthers: AuthenticatedChainOptions['authenticate'],
): AuthenticatedChainOptions['authenticate'] {
  const keys = storeOf(kinds, accessKeyKind);
  const used = new UsedProofs(clock);
  /**
   * The accepted proof of each request. A request is authenticated a second time if the caches were outdated, and its
   * proof must not be rejected then as already used.
   */
  const accepted = new WeakMap<Exchange, string>();

  function withProof(token: string, exchange: Exchange): Identity | undefined {
    const proof = readAgentProof(token);
    if (proof === undefined || proof.installation !== installation) return undefined;
    const key = keys.byClaim(agentKeyClaim(proof.fingerprint))?.object;
    const { publicKey: pem = '' } = key?.spec?.agentKey ?? {};
    const publicKey = readAgentPublicKey(pem);
    if (publicKey === undefined || !isRecentProof(proof, clock.now()) || !isSignedBy(token, publicKey.key))
      return undefined;
    if (accepted.get(exchange) !== token) {
      if (!used.use(proof.fingerprint, proof.id)) return undefined;
      accepted.set(exchange, token);
    }
    const state = accessKeys.current(key?.metadata.name ?? '');
    if (state === undefined) return undefined;
    const identity = accessKeys.authenticator.authenticateByKey({ ...state, mark: keyFingerprint(state) });
    return identity;
  }

  return (token, exchange) =>
    readAgentProof(token) === undefined ? authenticateOthers(token, exchange) : withProof(token, exchange);
}
