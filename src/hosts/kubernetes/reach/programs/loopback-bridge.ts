import { createServer, type TLSSocket } from 'node:tls';
import type { Dial } from '../open-socket.ts';
import { joinStreams } from './join-streams.ts';
import { LoopbackServer } from './loopback-server.ts';

/** The certificate of a bridge for the address 127.0.0.1, in PEM format. */
export interface BridgeTls {
  readonly cert: string;
  readonly key: string;
  /** The certificate authority that verifies the certificate. */
  readonly authority: string;
}

export interface BridgeEndpoint {
  /** The origin of the bridge: `https://host:port`. */
  readonly origin: string;
  /** The certificate authority that verifies the certificate of the bridge, in PEM format. */
  readonly certificateAuthority: string;
}

export interface LoopbackBridgeOptions {
  /** Opens a connection to the server, without TLS. */
  readonly dial: Dial;
  /** Returns the certificate of the bridge. Called when the port opens. */
  tls(): Promise<BridgeTls>;
}

/**
 * A loopback port that gives programs on this machine, such as helm, access to a server that only this process can reach.
 * Every client of the port reaches the server, which authenticates requests itself. The port uses TLS, because the
 * Kubernetes client of helm sends no credentials without TLS.
 */
export class LoopbackBridge {
  readonly #options: LoopbackBridgeOptions;
  readonly #closing = new AbortController();
  readonly #server = new LoopbackServer(async () => {
    const { cert, key, authority } = await this.#options.tls();
    this.#certificateAuthority = authority;
    return createServer({ cert, key }, (client) => void this.#serve(client));
  });

  /** Set when the server is created. */
  #certificateAuthority = '';

  constructor(options: LoopbackBridgeOptions) {
    this.#options = options;
  }

  /** Returns the address of the bridge. Rejects if no port can be opened. */
  async endpoint(): Promise<BridgeEndpoint> {
    const address = await this.#server.address();
    return { origin: `https://${address}`, certificateAuthority: this.#certificateAuthority };
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the connection to the cluster is closed'));
    await this.#server.close();
  }

  async #serve(client: TLSSocket): Promise<void> {
    client.on('error', () => client.destroy());
    try {
      await joinStreams(client, await this.#options.dial(this.#closing.signal));
    } catch {
      // The client program notices that its connection is closed, and reports an error.
      client.destroy();
    }
  }
}
