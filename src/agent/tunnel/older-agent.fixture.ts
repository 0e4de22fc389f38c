import { once } from 'node:events';
import { type Http2Stream, performServerHandshake } from 'node:http2';
import { type RequestOptions, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

export interface OlderAgentOptions {
  /** The URL origin of the server. `authority` is its certificate authority. */
  readonly server: string;
  readonly authority: string;
  readonly cluster: string;
  readonly version: string;
  /** Returns the value of the Authorization header of a new request. */
  authorization(): string;
  /** The local port of the API of the agent's cluster. */
  readonly apiPort: number;
}

/**
 * Sends the requests of an agent of the previous minor version. The requests are written out here instead of using the
 * agent's code, because the server must still understand them after the agent's code has changed. No request contains a
 * field that was added later.
 */
export class OlderAgent {
  readonly #options: OlderAgentOptions;
  readonly #closing: (() => void)[] = [];

  constructor(options: OlderAgentOptions) {
    this.#options = options;
  }

  close(): void {
    for (const step of this.#closing.splice(0)) step();
  }

  /** Sends a request and returns the status code and the body of the response. */
  async send(method: string, path: string, body: object): Promise<{ code: number; text: string }> {
    const outgoing = this.#request(path, { method, headers: { 'content-type': 'application/json' } });
    outgoing.end(JSON.stringify(body));
    const [response] = await once(outgoing, 'response');
    return { code: response.statusCode, text: (await response.setEncoding('utf8').toArray()).join('') };
  }

  /** Announces that the server reaches the agent through tunnels, with this credential. */
  async announce(credential: string): Promise<{ code: number; text: string }> {
    const { version } = this.#options;
    const body = { url: '', authority: '', credential, isTunneled: true, host: 'kubernetes', version };
    return await this.send('PUT', 'announcement', body);
  }

  /** Opens the policy feed. Resolves after the complete state has arrived. */
  async openFeed(): Promise<void> {
    const outgoing = this.#request('policy', {}).on('error', () => {});
    outgoing.end();
    const [response] = await once(outgoing, 'response');
    this.#closing.push(() => response.destroy());
    response.on('error', () => {});
    let text = '';
    await new Promise<void>((resolve, reject) => {
      response.on('end', () => reject(new Error(`the feed ended: ${text}`)));
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.includes('{"type":"SYNCED"')) resolve();
      });
    });
  }

  /** Opens a tunnel. If the server refuses it, returns the status code and the body of the response. */
  async openTunnel(): Promise<{ code: number; text: string } | undefined> {
    const headers = { connection: 'Upgrade', upgrade: 'flotilla-tunnel' };
    const outgoing = this.#request(`tunnel?version=${encodeURIComponent(this.#options.version)}`, { headers });
    outgoing.end();
    const opened = once(outgoing, 'upgrade').then(([, socket]) => this.#serve(socket));
    const refused = once(outgoing, 'response').then(async ([response]) => ({
      code: response.statusCode,
      text: (await response.setEncoding('utf8').toArray()).join(''),
    }));
    return await Promise.race([opened, refused]);
  }

  #serve(carrier: Socket): undefined {
    const session = performServerHandshake(carrier);
    this.#closing.push(() => carrier.destroy());
    carrier.on('error', () => {});
    session.on('error', () => {});
    session.on('stream', (stream) => {
      stream.on('error', () => {});
      stream.respond({ ':status': 200 });
      void this.#forward(stream);
    });
  }

  /** Connects a stream of a tunnel to the API of the cluster. */
  async #forward(stream: Http2Stream): Promise<void> {
    const api = connect(this.#options.apiPort, '127.0.0.1');
    this.#closing.push(() => api.destroy());
    await Promise.all([pipeline(stream, api), pipeline(api, stream)]).catch(() => {
      stream.destroy();
      api.destroy();
    });
  }

  #request(path: string, { headers, ...rest }: RequestOptions) {
    const { server, authority, cluster, authorization } = this.#options;
    return request(`${server}/kubernetes/agent/${cluster}/${path}`, {
      ca: authority,
      agent: false,
      headers: { ...headers, authorization: authorization() },
      ...rest,
    });
  }
}
