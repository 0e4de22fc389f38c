import type { ActiveAccessKey } from '../../api/agent/policy-feed.ts';
import type { CredentialLimits } from '../../api/credential-limits.ts';
import { clusterOfAgentUser } from '../../api/naming.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { isUsableKey, keyFingerprint } from '../../auth/key-state.ts';
import type { ActivityLog } from '../../gateway/instance-activity.ts';
import type { AuthenticatedChainOptions } from '../../http/chain.ts';
import type { Mount } from '../../http/router.ts';
import type { Clock } from '../../lib/clock.ts';
import { scopesOf } from '../../management/access-keys/access-key-state.ts';
import type { SigningKeys } from '../../process/signing-keys.ts';
import type { AccessKeys } from '../auth/access-keys.ts';
import { onKeyChanges } from '../auth/permission-changes.ts';
import type { ManagementApi } from '../open-management.ts';
import { createAgentAudit } from './agent-audit.ts';
import { agentMount } from './agent-mount.ts';
import { createAnnouncementHandler } from './announcement-handler.ts';
import { createReplacedKeyCleanup } from './replaced-key-cleanup.ts';

export interface AgentApiOptions {
  readonly management: ManagementApi;
  readonly accessKeys: AccessKeys;
  readonly signingKeys: Pick<SigningKeys, 'publicKeys' | 'onChange'>;
  readonly auditLog: AuditLog;
  readonly auditPath: string;
  readonly apiPrefix: string;
  readonly installation: string;
  readonly serviceAccountTokens: boolean;
  readonly limits: CredentialLimits;
  readonly activity: Pick<ActivityLog, 'recordUse'>;
  readonly clock: Clock;
}

/** The API for agents of connected clusters. */
export interface AgentApi {
  mount(chain: AuthenticatedChainOptions): Mount;
}

export function openAgentApi(options: AgentApiOptions): AgentApi {
  const { management, accessKeys, signingKeys, apiPrefix, installation, serviceAccountTokens, clock } = options;
  const { state } = management;
  const { requestsPerSecond, requestBurst, watchesPerKey, watchesPerUser, watchesPerConnection } = options.limits;
  const limits = { requestsPerSecond, requestBurst, watchesPerKey, watchesPerUser, watchesPerConnection };
  const { kinds } = management.plane;

  /** Returns the active access key with this name. Keys of other agents are not disclosed to an agent. */
  function knownKey(name: string): ActiveAccessKey | undefined {
    const key = state.accessKey(name);
    const found = accessKeys.current(name);
    if (key === undefined || !isUsableKey(found, clock.now())) return undefined;
    if (clusterOfAgentUser(found.user.name) !== undefined) return undefined;
    const { uid, user, expiresAt } = found;
    const scopes = scopesOf(key, state);
    return { name, uid, mark: keyFingerprint(found), user, scopes, ...(expiresAt === undefined ? {} : { expiresAt }) };
  }

  return {
    mount: (chain) =>
      agentMount({
        apiPrefix,
        chain,
        policy: {
          kinds,
          header: () => ({ installation, apiPrefix, serviceAccountTokens, limits }),
          activeKey: knownKey,
          onKeysChanged: (listener) => onKeyChanges(kinds, state, listener),
          signingKeys,
          clock,
        },
        announce: createAnnouncementHandler({ kinds, apiPrefix }),
        activeKey: (value) => knownKey(accessKeys.authenticator.authenticate(value)?.accessKey ?? ''),
        onKeyUsed: createReplacedKeyCleanup({ kinds, state }),
        onActivity(cluster, { used }) {
          for (const { namespace, name, uid, secondsAgo } of used) {
            const instance = state.instance(namespace, name);
            // An agent may report activity only for its own cluster.
            if (instance?.metadata.uid !== uid || instance.spec?.clusterRef?.cluster !== cluster) continue;
            options.activity.recordUse(uid, clock.now() - secondsAgo * 1000);
          }
        },
        audit: createAgentAudit({ auditLog: options.auditLog, path: options.auditPath }),
      }),
  };
}
