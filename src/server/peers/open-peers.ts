import type { Duplex } from 'node:stream';
import { type AuditVerification, auditVerifyPath } from '../../api/audit/audit-chain.ts';
import { auditPath } from '../../api/audit/audit-event.ts';
import { type AuditQuery, writeAuditQuery } from '../../api/audit/audit-query.ts';
import type { AuditSearchResult } from '../../audit/search-audit-log.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { errorCode } from '../../lib/private-file.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { CertificatePair } from '../../process/certificates.ts';
import { askPeer, openPeerTunnel } from './ask-peer.ts';
import { PeerCredentials } from './peer-credentials.ts';
import { type PeerListenerOptions, startPeerListener } from './peer-listener.ts';
import { reachableAddress } from './reachable-address.ts';
import { readSearchResult } from './search-result-text.ts';

export interface PeersOptions {
  /** The ID of this replica. */
  readonly id: string;
  /** The certificate authority of the installation. */
  readonly authority: CertificatePair;
  /** The address at which to listen for other replicas; port 0 selects a free port. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Searches the audit log of this server for another replica. */
  readonly search: PeerListenerOptions['search'];
  /** Verifies the audit log of this server for another replica. */
  readonly verify: PeerListenerOptions['verify'];
  readonly serveTunnel: PeerListenerOptions['serveTunnel'];
  readonly clock: Clock;
  readonly log: Log;
}

/** Another replica, and the host and port at which it listens for requests of other replicas. */
export interface PeerLocation {
  readonly id: string;
  readonly address: string;
}

/** The connections between this server and other replicas. */
export interface Peers {
  /** The host and port at which other replicas reach this replica; `undefined` if they cannot. */
  readonly address: string | undefined;
  /** Searches the audit log of another replica. Rejects with PeerError if this is not possible. */
  search(peer: PeerLocation, query: AuditQuery, signal: AbortSignal): Promise<AuditSearchResult>;
  /** Verifies the audit log of another replica. Rejects with PeerError if that is not possible. */
  verify(peer: PeerLocation, signal: AbortSignal): Promise<AuditVerification>;
  /** Opens the connection of a tunnel to another replica. Rejects if that is not possible. */
  openTunnel(peer: PeerLocation, signal: AbortSignal): Promise<Duplex>;
  close(): Promise<void>;
}

/** The reason why the audit log of another replica cannot be searched. */
export class PeerError extends Error {
  override readonly name = 'PeerError';
}

/**
 * The time limit for a search, in milliseconds. A search usually takes a tenth of a second, but a busy replica may need
 * longer.
 */
const searchMilliseconds = 8_000;
/**
 * The time limit for a verification, in milliseconds. A verification reads the whole log, which may have many
 * gigabytes.
 */
const verifyMilliseconds = 30 * 60_000;

const tunnelMilliseconds = 5_000;

/** Listens for other replicas. Throws StartError if that is not possible. */
export async function openPeers(options: PeersOptions): Promise<Peers> {
  const { listen, search, verify, serveTunnel, log } = options;
  const credentials = await PeerCredentials.open(options).catch((error: unknown) => {
    log.error({ error }, 'the certificate authority cannot sign a certificate for replicas; searches omit other logs');
    return undefined;
  });
  if (credentials === undefined) return unavailablePeers;
  const listener = await startPeerListener({ ...listen, tls: credentials.tls, search, verify, serveTunnel, log });
  credentials.renew((tls) => listener.updateTls(tls));
  return {
    address: reachableAddress(listen.host, listener.port),
    async search(peer, query, signal) {
      const request = { path: `${auditPath}?${writeAuditQuery(query)}`, milliseconds: searchMilliseconds, signal };
      const result = readSearchResult(await askReplica(options, credentials, peer, request));
      if (result === undefined) throw new PeerError('its response is not complete');
      return result;
    },
    async verify(peer, signal) {
      const request = { path: auditVerifyPath, milliseconds: verifyMilliseconds, signal };
      return JSON.parse(await askReplica(options, credentials, peer, request)) as AuditVerification;
    },
    openTunnel: ({ id, address }, signal) =>
      withTimeout(
        { clock: options.clock, milliseconds: tunnelMilliseconds, signal, timeoutError: noTunnel },
        (ending) => openPeerTunnel({ replica: id, address, tls: credentials.tls, signal: ending }),
      ),
    async close() {
      credentials.close();
      await listener.close();
    },
  };
}

const noTunnel = () => new PeerError(`it did not accept a tunnel within ${tunnelMilliseconds / 1_000} seconds`);

const unavailable = async (): Promise<never> => {
  throw new PeerError('this server has no certificate for requests to other replicas; see its log');
};

const unavailablePeers: Peers = {
  address: undefined,
  search: unavailable,
  verify: unavailable,
  openTunnel: unavailable,
  async close() {},
};

interface ReplicaRequest {
  readonly path: string;
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

/** Sends a request to another replica and returns the text of its response. Rejects with PeerError. */
async function askReplica(
  { clock }: PeersOptions,
  { tls }: PeerCredentials,
  { id, address }: PeerLocation,
  { path, milliseconds, signal }: ReplicaRequest,
): Promise<string> {
  const timeoutError = () => new PeerError(`it did not respond within ${milliseconds / 1_000} seconds`);
  const { code, text } = await withTimeout({ clock, milliseconds, signal, timeoutError }, (ending) =>
    askPeer({ replica: id, address, path, tls, signal: ending }),
  ).catch((error: unknown) => {
    if (signal.aborted || error instanceof PeerError) throw error;
    throw new PeerError(`it cannot be reached at ${address} (${errorCode(error) ?? String(error)})`, { cause: error });
  });
  if (code !== 200) throw new PeerError(text.slice(0, 300) || `it responded with ${code}`);
  return text;
}
