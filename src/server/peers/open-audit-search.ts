import type { AuditLogLocation } from '../../audit/log-files.ts';
import { searchAuditLog } from '../../audit/search-audit-log.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { CertificatePair } from '../../process/certificates.ts';
import type { CloseStack } from '../../process/close-stack.ts';
import type { Replicas } from '../../replicas/replicas.ts';
import { type SearchAudit, yieldToEventLoop } from '../audit-handler.ts';
import type { ServerOptions } from '../settings/options.ts';
import { openPeers } from './open-peers.ts';
import { type AllLogsOptions, maxPeerResultLength, searchAllLogs } from './search-all-logs.ts';

export interface AuditSearchSetup {
  /** The ID of this server among the replicas. */
  readonly id: string;
  /** True if other servers use the same store. */
  readonly isShared: boolean;
  readonly location: AuditLogLocation;
  readonly replicas: Pick<Replicas, 'peers'>;
  /** The certificate authority of the installation. */
  readonly authority: CertificatePair;
  readonly settings: Pick<ServerOptions, 'listen' | 'peerListen'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly closing: CloseStack;
}

export interface AuditSearch {
  readonly search: SearchAudit;
  /** The host and port at which other replicas search the log of this server. */
  readonly peerAddress: string | undefined;
}

/** Opens the search of the audit log. If the store is shared, it covers the logs of all replicas. */
export async function openAuditSearch(options: AuditSearchSetup): Promise<AuditSearch> {
  const { id, isShared, location, replicas, authority, settings, clock, log, closing } = options;
  const searchOwn: AllLogsOptions['searchOwn'] = (query, more) => searchAuditLog(location, query, more);
  if (!isShared) return { search: searchOwn, peerAddress: undefined };
  const peers = await openPeers({
    id,
    authority,
    listen: settings.peerListen ?? { host: settings.listen.host, port: 0 },
    search: (query, signal) => searchOwn(query, { signal, yieldToEventLoop, maxResultLength: maxPeerResultLength }),
    clock,
    log,
  });
  closing.add('peers', () => peers.close());
  const context = { id, listReplicas: () => replicas.peers(), searchPeer: peers.search, searchOwn };
  return { search: (query, more) => searchAllLogs(context, query, more), peerAddress: peers.address };
}
