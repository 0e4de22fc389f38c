import type { KnownKey } from '../../api/agent/policy-feed.ts';
import { clusterOfAgent } from '../../api/naming.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { isUsable, keyMark } from '../../auth/key-state.ts';
import type { ActivityLog } from '../../gateway/instance-activity.ts';
import type { GuardedChainOptions } from '../../http/chain.ts';
import type { Mount } from '../../http/router.ts';
import type { Clock } from '../../lib/clock.ts';
import { scopesOf } from '../../management/access-key-state.ts';
import type { SigningKeys } from '../../process/signing-keys.ts';
import type { AccessKeys } from '../access-keys.ts';
import type { Management } from '../open-management.ts';
import { listenToKeys } from '../rights-changes.ts';
import { agentAudit } from './agent-audit.ts';
import { agentMount } from './agent-mount.ts';
import { announceAgent } from './announce-agent.ts';
import { endReplacedKeys } from './end-replaced-keys.ts';

export interface AgentsOptions {
  readonly management: Management;
  readonly accessKeys: AccessKeys;
  readonly signingKeys: Pick<SigningKeys, 'publicKeys' | 'onChange'>;
  readonly auditLog: AuditLog;
  readonly auditPath: string;
  readonly apiPrefix: string;
  readonly installation: string;
  readonly serviceAccountTokens: boolean;
  readonly activity: Pick<ActivityLog, 'used'>;
  readonly clock: Clock;
}

/** The API for agents of connected clusters. */
export interface Agents {
  mount(chain: GuardedChainOptions): Mount;
}

export function openAgents(options: AgentsOptions): Agents {
  const { management, accessKeys, signingKeys, apiPrefix, installation, serviceAccountTokens, clock } = options;
  const { state } = management;
  const { kinds } = management.plane;

  /** The active key of this name. Keys of agents are not disclosed to agents. */
  function knownKey(name: string): KnownKey | undefined {
    const key = state.accessKey(name);
    const found = accessKeys.current(name);
    if (key === undefined || !isUsable(found, clock.now())) return undefined;
    if (clusterOfAgent(found.user.name) !== undefined) return undefined;
    const { uid, user, expiresAt } = found;
    const scopes = scopesOf(key, state);
    return { name, uid, mark: keyMark(found), user, scopes, ...(expiresAt === undefined ? {} : { expiresAt }) };
  }

  return {
    mount: (chain) =>
      agentMount({
        apiPrefix,
        chain,
        policy: {
          kinds,
          frame: () => ({ installation, apiPrefix, serviceAccountTokens }),
          knownKey,
          onKeys: (listener) => listenToKeys(kinds, state, listener),
          signingKeys,
          clock,
        },
        announce: announceAgent({ kinds, apiPrefix }),
        knownKey: (value) => knownKey(accessKeys.authenticator.authenticate(value)?.accessKey ?? ''),
        keyUsed: endReplacedKeys({ kinds, state }),
        used(cluster, { used }) {
          for (const { namespace, name, uid, secondsAgo } of used) {
            const instance = state.instance(namespace, name);
            // An agent may report activity only for its own cluster.
            if (instance?.metadata.uid !== uid || instance.spec?.clusterRef?.cluster !== cluster) continue;
            options.activity.used(uid, clock.now() - secondsAgo * 1000);
          }
        },
        audit: agentAudit({ auditLog: options.auditLog, path: options.auditPath }),
      }),
  };
}
