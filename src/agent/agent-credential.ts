import type { AgentKeyPair } from '../auth/agent/agent-key.ts';
import { signAgentProof } from '../auth/agent/agent-proof.ts';
import type { ServerTime } from './join/server-time.ts';

/** The credential with which an agent authenticates to its server. */
export interface AgentCredential {
  /** Identifies the credential: different credentials have different IDs. The ID is a secret: never log it. */
  readonly id: string;
  /** Returns the bearer token of the next request. */
  token(): string;
}

/** Returns the credential of an agent that has an access key. */
export function accessKeyCredential(accessKey: string): AgentCredential {
  return { id: accessKey, token: () => accessKey };
}

/** Returns the credential of an agent that has joined. It signs each request with the agent's key. */
export function agentKeyCredential(
  keyPair: AgentKeyPair,
  { installation, cluster }: { readonly installation: string; readonly cluster: string },
  time: ServerTime,
): AgentCredential {
  return {
    id: keyPair.publicKey.fingerprint,
    token: () => signAgentProof(keyPair, { installation, cluster }, time.now()),
  };
}
