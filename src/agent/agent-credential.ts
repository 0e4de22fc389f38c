import type { AgentKeyPair } from '../auth/agent/agent-key.ts';
import { signAgentProof } from '../auth/agent/agent-proof.ts';
import type { ServerTime } from './join/server-time.ts';

/** The credential with which an agent authenticates at its server. */
export interface AgentCredential {
  /** Identifies the credential. Another credential has another ID. A secret: never log it. */
  readonly id: string;
  /** Returns the bearer token of the next request. */
  token(): string;
}

/** The credential of an agent with an access key. */
export function accessKeyCredential(accessKey: string): AgentCredential {
  return { id: accessKey, token: () => accessKey };
}

/** The credential of an agent that has joined: it signs each request with its key. */
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
