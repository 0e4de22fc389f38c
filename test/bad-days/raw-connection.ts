import { connect, type TLSSocket } from 'node:tls';

/** The response to one request. */
export interface RawAnswer {
  /** 0 if the connection was closed without a response. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** True if the client abandoned the response because it is an endless stream. */
  readonly left: boolean;
}

interface Endpoint {
  readonly url: string;
  readonly ca: string;
}

const silence: RawAnswer = { status: 0, headers: new Map(), body: Buffer.alloc(0), left: false };
/** A server that normally answers in milliseconds is faulty if it exceeds this time. The test then reports it. */
const timeoutMs = 30_000;

export function connectTls(endpoint: Endpoint, protocols: string[] = ['http/1.1']): Promise<TLSSocket> {
  const { hostname, port } = new URL(endpoint.url);
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port: Number(port), ca: endpoint.ca, ALPNProtocols: protocols };
    const socket = connect(options, () => resolve(socket));
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

/** An HTTP/1.1 connection that sends arbitrary bytes, and reconnects after the server has closed it. */
export class RawConnection {
  readonly #endpoint: Endpoint;
  #socket: TLSSocket | undefined;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** `halfway`: the bytes are an incomplete request, so the sending side is closed after them. */
  async send(bytes: Buffer, { method = 'GET', halfway = false } = {}): Promise<RawAnswer> {
    const socket = await this.#connected();
    const answer = await new Promise<RawAnswer>((resolve, reject) => {
      const reader = new AnswerReader(method);
      const timer = setTimeout(() => {
        socket.destroy();
        reject(new Error('no response within 30 s'));
      }, timeoutMs);
      const settle = (found: RawAnswer) => {
        clearTimeout(timer);
        socket.removeAllListeners('data').removeAllListeners('close');
        resolve(found);
      };
      socket.on('data', (chunk) => {
        const found = reader.take(chunk);
        if (found !== undefined) settle(found);
      });
      socket.once('close', () => settle(reader.atClose()));
      if (halfway) socket.end(bytes);
      else socket.write(bytes);
    });
    if (answer.left || halfway || answer.headers.get('connection') === 'close' || socket.destroyed) this.close();
    return answer;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #connected(): Promise<TLSSocket> {
    if (this.#socket !== undefined && !this.#socket.destroyed && this.#socket.writable) return this.#socket;
    const socket = await connectTls(this.#endpoint);
    // The server may close a connection while the client still writes to it.
    socket.on('error', () => socket.destroy());
    this.#socket = socket;
    return socket;
  }
}

/** Parses the response as it arrives. */
class AnswerReader {
  readonly #method: string;
  #received = Buffer.alloc(0);
  #head: { status: number; headers: Map<string, string>; bodyAt: number } | undefined;

  constructor(method: string) {
    this.#method = method;
  }

  take(chunk: Buffer): RawAnswer | undefined {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      this.#head ??= readHead(this.#received);
      if (this.#head === undefined) return undefined;
      if (this.#head.status >= 200) break;
      this.#received = this.#received.subarray(this.#head.bodyAt);
      this.#head = undefined;
    }
    const { status, headers, bodyAt } = this.#head;
    const answer = (body: Buffer, left = false): RawAnswer => ({ status, headers, body, left });
    if (this.#method === 'HEAD' || status === 204 || status === 304) return answer(Buffer.alloc(0));
    if (headers.get('transfer-encoding') === 'chunked') return answer(this.#received.subarray(bodyAt), true);
    const end = bodyAt + Number(headers.get('content-length') ?? 0);
    return this.#received.length < end ? undefined : answer(this.#received.subarray(bodyAt, end));
  }

  atClose(): RawAnswer {
    if (this.#head === undefined) return silence;
    return { ...silence, ...this.#head, body: this.#received.subarray(this.#head.bodyAt) };
  }
}

function readHead(bytes: Buffer): { status: number; headers: Map<string, string>; bodyAt: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [
      line.slice(0, colon).toLowerCase(),
      line
        .slice(colon + 1)
        .trim()
        .toLowerCase(),
    ];
  });
  return { status: Number(first.split(' ')[1]), headers: new Map(headers), bodyAt: end + 4 };
}
