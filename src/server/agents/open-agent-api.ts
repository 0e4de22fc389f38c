import type { ActiveAccessKey } from '../../api/agent/policy-feed.ts';
import type { CredentialLimits } from '../../api/credential-limits.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { apiWord, clusterOfAgentUser } from '../../api/naming.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { isUsableKey, keyFingerprint } from '../../auth/key-state.ts';
import type { ActivityLog } from '../../gateway/instance-activity.ts';
import type { AuthenticatedChainOptions } from '../../http/chain.ts';
import { type Freshness, findConfirmed } from '../../http/freshness.ts';
import type { Mount } from '../../http/router.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { programVersion } from '../../lib/program-version.ts';
import { scopesOf } from '../../management/access-keys/access-key-state.ts';
import { isAgentKey, isJoinToken } from '../../management/access-keys/agent-keys.ts';
import { kubeconfigPurpose } from '../../management/resources/cluster-hidden.ts';
import type { ManagementSettings } from '../../management/settings.ts';
import type { CloseStack } from '../../process/close-stack.ts';
import type { SigningKeys } from '../../process/signing-keys.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { Replicas } from '../../replicas/replicas.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Store } from '../../store/store.ts';
import type { AccessKeys } from '../auth/access-keys.ts';
import { onKeyChanges } from '../auth/permission-changes.ts';
import { runOnLeader } from '../background/run-on-leader.ts';
import type { ManagementApi } from '../open-management.ts';
import { acceptTunnel } from '../tunnels/tunnel-handler.ts';
import type { Tunnels } from '../tunnels/tunnels.ts';
import { announcedFacts, createTunnelAdmission, refuseVersion } from './admit-agent.ts';
import { createAgentAudit } from './agent-audit.ts';
import { AgentAuditPositions } from './agent-audit-positions.ts';
import { AgentHealth } from './agent-health.ts';
import { agentMount } from './agent-mount.ts';
import { readTunnelQuery } from './agent-requests.ts';
import { AgentStatus } from './agent-status.ts';
import { createAnnouncementHandler } from './announcement-handler.ts';
import { createAgentAuthentication } from './authenticate-agent.ts';
import { createAgentJoin } from './join-agent.ts';
import { showLostAgents } from './lost-agents.ts';
import { createAgentKeyRecorder } from './record-agent-key.ts';
import { createReplacedKeyCleanup } from './replaced-key-cleanup.ts';

export interface AgentApiOptions {
  readonly management: ManagementApi;
  readonly accessKeys: AccessKeys;
  readonly sealer: Pick<Sealer, 'open'>;
  readonly signingKeys: Pick<SigningKeys, 'publicKeys' | 'onChange'>;
  readonly auditLog: AuditLog;
  readonly auditPath: string;
  readonly apiPrefix: string;
  readonly store: Store;
  readonly replicas: Replicas;
  /** The settings of the gateway, which also apply at agents. */
  readonly gateway: Pick<ManagementSettings['gateway'], 'serviceAccountTokens' | 'maxServiceAccountTokenAge'>;
  readonly limits: CredentialLimits;
  readonly activity: Pick<ActivityLog, 'recordUse'>;
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness: Freshness | undefined;
  readonly tunnels: Tunnels;
  readonly closing: CloseStack;
  readonly log: Log;
  readonly clock: Clock;
  /** The server version that determines which agents may connect. Optional; defaults to the version of the program. */
  readonly serverVersion?: string | undefined;
}

/** The API for agents of connected clusters. */
export interface AgentApi {
  mount(chain: AuthenticatedChainOptions): Mount;
}

export function openAgentApi(options: AgentApiOptions): AgentApi {
  const { management, accessKeys, signingKeys, apiPrefix, freshness, store, clock } = options;
  const { serverVersion = programVersion } = options;
  const { serviceAccountTokens, maxServiceAccountTokenAge } = options.gateway;
  const { identity: installation } = store;
  const { state } = management;
  const { requestsPerSecond, requestBurst, watchesPerKey, watchesPerUser, watchesPerConnection } = options.limits;
  const limits = { requestsPerSecond, requestBurst, watchesPerKey, watchesPerUser, watchesPerConnection };
  const { kinds, freshRevision } = management.plane;

  const positions = store.isShared ? openAuditPositions(store, kinds) : undefined;

  const removeReplaced = createReplacedKeyCleanup({ kinds, state });
  const status = new AgentStatus(kinds);
  const recordKey = createAgentKeyRecorder(status);
  const unseal = (sealed: string) => options.sealer.open(kubeconfigPurpose, sealed);
  const announce = createAnnouncementHandler({ plane: management.plane, unseal, apiPrefix });
  const admitTunnel = createTunnelAdmission({ status, tunnels: options.tunnels, clock, serverVersion });
  const health = openAgentHealth(options, status);

  const knownKey = (name: string) => activeKeyNamed(name, options);

  return {
    mount: (chain) =>
      agentMount({
        apiPrefix,
        chain,
        policy: {
          kinds,
          header: () => ({
            installation,
            apiPrefix,
            apiWord,
            serviceAccountTokens,
            maxServiceAccountTokenAge,
            limits,
          }),
          ...(freshRevision === undefined ? {} : { freshRevision }),
          activeKey: knownKey,
          onKeysChanged: (listener) => onKeyChanges(kinds, state, listener),
          signingKeys,
          clock,
        },
        authenticate: (others) => createAgentAuthentication({ accessKeys, kinds, installation, clock }, others),
        purposeOf(keyName) {
          const key = state.accessKey(keyName);
          if (isJoinToken(key)) return 'join';
          return isAgentKey(key) || key?.spec?.type === 'Other' ? 'serve' : undefined;
        },
        join: createAgentJoin({ kinds, state, installation, clock }),
        async announce(entry, announcement) {
          refuseVersion(announcement.version, serverVersion);
          // The server must know that an agent is read-only before it uses the agent.
          await health.announced(entry, announcedFacts(announcement, serverVersion));
          return await announce(entry.cluster, announcement);
        },
        whileConnected: (entry, lines) => health.whileConnected(entry, lines),
        activeKey: (value) =>
          findConfirmed(freshness, () => knownKey(accessKeys.authenticator.authenticate(value)?.accessKey ?? '')),
        async onKeyUsed(cluster, keyName) {
          await removeReplaced(cluster, keyName);
          await recordKey(cluster, state.accessKey(keyName));
        },
        onActivity(cluster, { used }) {
          for (const { namespace, name, uid, secondsAgo } of used) {
            // An agent may report activity only for its own cluster.
            const isUsed = [state.instance(namespace, name), state.space(namespace, name)].some(
              (instance) => instance?.metadata.uid === uid && instance.spec?.clusterRef?.cluster === cluster,
            );
            if (!isUsed) continue;
            options.activity.recordUse(uid, clock.now() - secondsAgo * 1000);
          }
        },
        async acceptTunnel(entry, exchange) {
          await admitTunnel(entry, readTunnelQuery(exchange));
          const { tunnels } = options;
          const onMeasured = () => health.measured(entry);
          return acceptTunnel(exchange, { cluster: entry.cluster, tunnels, onMeasured, clock });
        },
        audit: createAgentAudit({ auditLog: options.auditLog, path: options.auditPath, positions }),
      }),
  };
}

/** Opens the component that writes the health of agents to the status of their clusters. */
function openAgentHealth(options: AgentApiOptions, status: AgentStatus): AgentHealth {
  const { tunnels, replicas, closing, clock, log } = options;
  const { kinds } = options.management.plane;
  const health = new AgentHealth({ status, tunnels, clock, log });
  closing.add('status of agents', () => health.close());
  const stop = runOnLeader(replicas, (fence) => showLostAgents({ kinds, status, fence, clock, log }));
  closing.add('status of lost agents', stop);
  return health;
}

/** Returns the active access key with this name. Keys of other agents are not disclosed to an agent. */
function activeKeyNamed(
  name: string,
  { management: { state }, accessKeys, clock }: Pick<AgentApiOptions, 'management' | 'accessKeys' | 'clock'>,
): ActiveAccessKey | undefined {
  const key = state.accessKey(name);
  const found = accessKeys.current(name);
  if (key === undefined || !isUsableKey(found, clock.now())) return undefined;
  if (clusterOfAgentUser(found.user.name) !== undefined) return undefined;
  const { uid, user, expiresAt, addresses } = found;
  const scopes = scopesOf(key, state);
  return {
    name,
    uid,
    mark: keyFingerprint(found),
    user,
    scopes,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(addresses === undefined ? {} : { addresses: JSON.parse(addresses) }),
  };
}

/** Stores the positions of agents' audit logs for all replicas, until their cluster is deleted. */
function openAuditPositions(store: Store, kinds: KindStores): AgentAuditPositions {
  const positions = new AgentAuditPositions(store);
  storeOf(kinds, clusterKind).listen(({ before, after }) => {
    // All replicas try to remove the row of the deleted cluster. If the row remains, it has no effect, because a new
    // agent has a new log.
    if (after === undefined) void positions.forget(before?.object.metadata.name ?? '').catch(() => {});
  });
  return positions;
}
