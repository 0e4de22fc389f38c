import { searchAuditLog } from '../../audit/search-audit-log.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { CertificatePair } from '../../process/certificates.ts';
import type { CloseStack } from '../../process/close-stack.ts';
import type { Replicas } from '../../replicas/replicas.ts';
import { type SearchAudit, yieldToEventLoop } from '../audit/audit-handler.ts';
import type { ServerAudit } from '../audit/open-server-audit.ts';
import { allLogsVerifier, ownLogVerifier, type VerifyAllLogs } from '../audit/verify-logs.ts';
import type { ServerOptions } from '../settings/options.ts';
import { connectThroughPeers, servePeerTunnel } from '../tunnels/peer-tunnels.ts';
import type { Tunnels } from '../tunnels/tunnels.ts';
import { openPeers, type PeerLocation } from './open-peers.ts';
import { type AllLogsOptions, maxPeerResultLength, searchAllLogs } from './search-all-logs.ts';

export interface AuditSearchSetup {
  /** The ID of this server among the replicas. */
  readonly id: string;
  /** True if other servers use the same store. */
  readonly isShared: boolean;
  readonly audit: ServerAudit;
  readonly replicas: Pick<Replicas, 'peers'>;
  /** The certificate authority of the installation. */
  readonly authority: CertificatePair;
  readonly settings: Pick<ServerOptions, 'listen' | 'peerListen'>;
  /** The tunnels of agents to this server. Other replicas use these tunnels too. */
  readonly tunnels: Tunnels;
  readonly clock: Clock;
  readonly log: Log;
  readonly closing: CloseStack;
}

export interface AuditSearch {
  readonly search: SearchAudit;
  /** Verifies the audit logs of all replicas. */
  readonly verify: VerifyAllLogs;
  /** The host and port at which other replicas search the log of this server. */
  readonly peerAddress: string | undefined;
}

/** Opens the search of the audit log. With a shared store, the search covers the logs of all replicas. */
export async function openAuditSearch(options: AuditSearchSetup): Promise<AuditSearch> {
  const { id, isShared, audit, replicas, authority, settings, tunnels, clock, log, closing } = options;
  const searchOwn: AllLogsOptions['searchOwn'] = (query, more) => searchAuditLog(audit.location, query, more);
  const verifyOwn = ownLogVerifier(id, audit);
  if (!isShared) return { search: searchOwn, verify: allLogsVerifier({ id, verifyOwn }), peerAddress: undefined };
  const peers = await openPeers({
    id,
    authority,
    listen: settings.peerListen ?? { host: settings.listen.host, port: 0 },
    search: (query, signal) => searchOwn(query, { signal, yieldToEventLoop, maxResultLength: maxPeerResultLength }),
    verify: (signal) => verifyOwn(signal, yieldToEventLoop),
    serveTunnel: (connection) => servePeerTunnel(connection, tunnels, { clock, log }),
    clock,
    log,
  });
  tunnels.throughPeers = connectThroughPeers({ peers, listPeers: () => reachablePeers(replicas, id), clock });
  closing.add('peers', () => peers.close());
  const listReplicas = () => replicas.peers();
  const context = { id, listReplicas, searchPeer: peers.search, searchOwn };
  return {
    search: (query, more) => searchAllLogs(context, query, more),
    verify: allLogsVerifier({ id, verifyOwn, others: { listReplicas, verifyPeer: peers.verify } }),
    peerAddress: peers.address,
  };
}

async function reachablePeers(replicas: Pick<Replicas, 'peers'>, own: string): Promise<PeerLocation[]> {
  const { members } = await replicas.peers();
  return members.flatMap(({ id, peerAddress }) =>
    id === own || peerAddress === undefined ? [] : [{ id, address: peerAddress }],
  );
}
