import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { PeerTls } from './peer-credentials.ts';
import { peerName } from './peer-names.ts';

export interface PeerRequest {
  /** The ID of the other replica. Its certificate must contain it. */
  readonly replica: string;
  /** The host and port at which it listens for other replicas. */
  readonly address: string;
  readonly path: string;
  readonly tls: PeerTls;
  readonly signal: AbortSignal;
}

export interface PeerResponse {
  readonly code: number;
  readonly text: string;
}

/** A search returns less than 2 MiB. */
const maxResponseBytes = 8 * 1024 * 1024;

/** Sends a GET request to another replica over mutual TLS. */
export function askPeer({ replica, address, path, tls, signal }: PeerRequest): Promise<PeerResponse> {
  const { hostname, port } = new URL(`https://${address}`);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: hostname.replace(/^\[(.*)\]$/, '$1'),
        port: port === '' ? 443 : Number(port),
        path,
        agent: false,
        servername: peerName(replica),
        ...tls,
        signal,
      },
      (response) => {
        readText(response).then((text) => resolve({ code: response.statusCode ?? 0, text }), reject);
      },
    );
    sent.on('error', reject);
    sent.end();
  });
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
