import type { AccessKey } from '../../api/management/v1/access-key.ts';
import { accessKeyClaim } from './access-key-state.ts';

/** True for a join token. It permits one request, with which an agent joins. */
export function isJoinToken(key: Pick<AccessKey, 'spec'> | undefined): boolean {
  return key?.spec?.type === 'AgentJoin';
}

/** True for the key of an agent that has joined. */
export function isAgentKey(key: Pick<AccessKey, 'spec'> | undefined): boolean {
  return key?.spec?.type === 'Agent';
}

/**
 * Returns the text that the key of an agent contains in place of the hash of a bearer token. The text contains a colon,
 * and no hash does, so no bearer token authenticates as the agent.
 */
export function agentKeyHash(fingerprint: string): string {
  return `agent:${fingerprint}`;
}

/**
 * Returns the name that the key of an agent reserves for its public key, so that each public key belongs to at most one
 * access key.
 */
export function agentKeyClaim(fingerprint: string): string {
  return accessKeyClaim(agentKeyHash(fingerprint));
}
