import { type ClientHttp2Session, connect } from 'node:http2';
import type { ApiCaller } from './api-caller.ts';
import type { BadRequest } from './corpus/bad-request.ts';
import type { RawAnswer } from './raw-connection.ts';

/** Connection headers of HTTP/1.1, which HTTP/2 does not have. */
const connectionHeaders = ['connection', 'upgrade', 'keep-alive', 'host', 'te', 'http2-settings', 'transfer-encoding'];

/** Sends bad requests over HTTP/2, as far as HTTP/2 can express them. */
export class Http2Connection {
  readonly #caller: ApiCaller;
  #session: ClientHttp2Session | undefined;

  constructor(caller: ApiCaller) {
    this.#caller = caller;
  }

  async send({ method, target, headers, body }: BadRequest): Promise<RawAnswer> {
    const session = this.#connected();
    const lower = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
    const stream = session.request({
      authorization: `Bearer ${this.#caller.key}`,
      ...Object.fromEntries(lower.filter(([name]) => !connectionHeaders.includes(name))),
      ':method': method,
      ':path': target,
    });
    return await new Promise((resolve) => {
      const pieces: Buffer[] = [];
      let head: { status: number; type: string } | undefined;
      const settle = (left: boolean) => {
        const known = new Map(head === undefined ? [] : [['content-type', head.type]]);
        resolve({ status: head?.status ?? 0, headers: known, body: Buffer.concat(pieces), left });
      };
      stream.on('response', (found) => {
        head = { status: Number(found[':status']), type: String(found['content-type'] ?? '') };
        // A watch does not end by itself, so it is closed.
        if (found['content-length'] !== undefined || head.status >= 400) return;
        stream.close();
        settle(true);
      });
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('error', () => settle(false));
      stream.on('close', () => settle(false));
      stream.end(body);
    });
  }

  close(): void {
    this.#session?.destroy();
  }

  #connected(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      this.#session = connect(this.#caller.url, { ca: this.#caller.ca });
      this.#session.on('error', () => {});
    }
    return this.#session;
  }
}
