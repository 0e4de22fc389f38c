import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Duplex } from 'node:stream';
import { onAbort } from '../../http/request/request-end.ts';
import { tunnelProtocol } from '../../tunnel/tunnel-protocol.ts';
import type { PeerTls } from './peer-credentials.ts';
import { peerName } from './peer-names.ts';

/** Another replica, and the credentials with which this replica authenticates to it. */
export interface PeerTarget {
  /** The ID of the other replica. The certificate of the other replica must contain this ID. */
  readonly replica: string;
  /** The host and port at which the other replica listens for other replicas. */
  readonly address: string;
  readonly tls: PeerTls;
  readonly signal: AbortSignal;
}

export interface PeerRequest extends PeerTarget {
  readonly path: string;
}

export interface PeerResponse {
  readonly code: number;
  readonly text: string;
}

/** The maximum size of a peer's response in bytes. A search returns less than 2 MiB. */
const maxResponseBytes = 8 * 1024 * 1024;

/** Sends a GET request to another replica over mutual TLS. */
export function askPeer({ path, ...target }: PeerRequest): Promise<PeerResponse> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...requestOptions(target), path }, (response) => {
      readText(response).then((text) => resolve({ code: response.statusCode ?? 0, text }), reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Opens a connection to another replica for a tunnel. The signal aborts only the opening, not the open connection. */
export function openPeerTunnel({ signal, ...target }: PeerTarget): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: tunnelProtocol };
    const sent = request({ ...requestOptions({ ...target }), path: '/', headers });
    const stop = onAbort(signal, (reason) => sent.destroy(reason as Error));
    sent.once('upgrade', (_, socket, head) => {
      stop();
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    sent.once('response', ({ statusCode }) => {
      sent.destroy();
      reject(new Error(`the replica responded with ${statusCode}`));
    });
    sent.once('error', (error) => {
      stop();
      reject(error);
    });
    sent.end();
  });
}

function requestOptions({ replica, address, tls, signal }: Omit<PeerTarget, 'signal'> & Partial<PeerTarget>) {
  const { hostname, port } = new URL(`https://${address}`);
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 443 : Number(port),
    agent: false as const,
    servername: peerName(replica),
    ...tls,
    ...(signal === undefined ? {} : { signal }),
  };
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxResponseBytes) throw new Error('the response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
