import { connect } from 'node:tls';
import { requestLine, statusOf } from './hpack.mjs';

const type = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8, continuation: 9 };
const flag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8 };
const setting = { tableSize: 1, push: 2, initialWindow: 4 };
/** The maximum frame size before the server sends other settings. */
const frameBytes = 16_384;
const largestWindow = 2 ** 31 - 1;
const cancel = Buffer.of(0, 0, 0, 8);
const nothing = Buffer.alloc(0);
/**
 * The receive buffer of all connections. Each chunk is processed before the next one arrives, and is copied if it is
 * needed later.
 */
const received = Buffer.allocUnsafe(65_536);

/**
 * One client: an HTTP/2 connection over TLS, as the Go client opens it. Node's own client takes more CPU time for a
 * request than the servers take to answer it, and both share the machine. This client implements only what the load
 * needs and takes a fraction of this time. Its flow-control windows are as large as possible, so only TCP slows a
 * server down.
 */
export class Http2Connection {
  #socket;
  #authority;
  #streams = new Map();
  #nextStream = 1;
  #rest = nothing;
  /** The remaining part of the current data frame. */
  #data = { left: 0, id: 0, isLast: false };
  #sendWindow = 65_535;
  #waiting = [];
  #unacknowledged = 0;
  #failure;

  static async open({ url, ca }) {
    const { hostname, port, host } = new URL(url);
    let connection;
    const callback = (length) => {
      connection.#read(received.subarray(0, length));
      return true;
    };
    const onread = { buffer: received, callback };
    const socket = connect({ host: hostname, port: Number(port), ca, ALPNProtocols: ['h2'], onread });
    socket.setNoDelay(true);
    await new Promise((resolve, reject) => {
      socket.once('secureConnect', () => {
        connection = new Http2Connection(socket, host);
        resolve();
      });
      socket.once('error', reject);
    });
    if (socket.alpnProtocol !== 'h2') throw new Error(`${url} does not speak HTTP/2`);
    return connection;
  }

  constructor(socket, authority) {
    this.#socket = socket;
    this.#authority = authority;
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
    const settings = Buffer.alloc(18);
    [setting.tableSize, setting.push, setting.initialWindow].forEach((name, at) => {
      settings.writeUInt16BE(name, at * 6);
      settings.writeUInt32BE(name === setting.initialWindow ? largestWindow : 0, at * 6 + 2);
    });
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
    socket.write(Buffer.concat([preface, frame(type.settings, 0, 0, settings), windowUpdate(largestWindow - 65_535)]));
  }

  /** Sends a request and resolves with the complete response. `headers` is a block from `headerBlock`. */
  send(method, path, headers, body) {
    return new Promise((resolve, reject) => {
      const chunks = [];
      this.#begin(method, path, headers, body, {
        onData: (piece) => chunks.push(Buffer.from(piece)),
        onEnd: (status) => resolve({ status, body: chunks.length === 1 ? chunks[0] : Buffer.concat(chunks) }),
        onFailure: reject,
      });
    });
  }

  /**
   * Starts a streamed response. Resolves when its status has arrived. If the status is 200, `onData` receives the
   * chunks, which are only valid during the call, and `onEnd` is called once when the server ends the stream, not after
   * `close()`.
   */
  stream(path, headers, { onData, onEnd }) {
    return new Promise((resolve, reject) => {
      let isOpen = false;
      const ended = () => {
        if (isOpen) onEnd();
      };
      const id = this.#begin('GET', path, headers, undefined, {
        onHeaders(status) {
          isOpen = status === 200;
          resolve({ status, close });
        },
        onData(chunk) {
          if (isOpen) onData(chunk);
        },
        onEnd: ended,
        onFailure(error) {
          reject(error);
          ended();
        },
      });
      const close = () => this.#cancel(id);
    });
  }

  close() {
    this.#failure ??= new Error('closed');
    this.#streams.clear();
    this.#socket.destroy();
  }

  #begin(method, path, headers, body, handlers) {
    const id = this.#nextStream;
    this.#nextStream += 2;
    if (this.#failure !== undefined) {
      handlers.onFailure(this.#failure);
      return id;
    }
    this.#streams.set(id, { status: 0, ...handlers });
    const block = Buffer.concat([requestLine(method, this.#authority, path), headers]);
    if (body === undefined) {
      this.#socket.write(frame(type.headers, flag.endHeaders | flag.endStream, id, block));
      return id;
    }
    if (body.length > frameBytes) throw new Error('the load client sends bodies of one frame only');
    const bytes = Buffer.concat([
      frame(type.headers, flag.endHeaders, id, block),
      frame(type.data, flag.endStream, id, body),
    ]);
    if (this.#sendWindow < body.length || this.#waiting.length > 0) this.#waiting.push({ bytes, length: body.length });
    else this.#write(bytes, body.length);
    return id;
  }

  #write(bytes, length) {
    this.#sendWindow -= length;
    this.#socket.write(bytes);
  }

  #cancel(id) {
    if (this.#streams.delete(id) && this.#failure === undefined) this.#socket.write(frame(type.reset, 0, id, cancel));
  }

  #fail(error) {
    this.#failure ??= error;
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of streams) stream.onFailure(this.#failure);
  }

  #read(chunk) {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = nothing;
    let at = 0;
    while (at < bytes.length) {
      if (this.#data.left > 0) {
        const end = Math.min(bytes.length, at + this.#data.left);
        this.#passOn(bytes.subarray(at, end));
        at = end;
        continue;
      }
      const end = at + 9 + (bytes.length - at < 9 ? 0 : lengthToRead(bytes, at));
      if (end > bytes.length) {
        this.#rest = Buffer.from(bytes.subarray(at));
        return;
      }
      this.#frame(bytes.subarray(at, end));
      at = end;
    }
  }

  #frame(bytes) {
    const kind = bytes[3];
    const flags = bytes[4];
    const id = bytes.readUInt32BE(5) & largestWindow;
    const payload = bytes.subarray(9);
    if (kind === type.data) this.#beginData(flags, id, bytes.readUIntBE(0, 3));
    else if (kind === type.headers) this.#headers(flags, id, payload);
    else if (kind === type.reset) this.#reset(id, payload);
    else if (kind === type.settings) {
      if ((flags & flag.ack) === 0) this.#socket.write(frame(type.settings, flag.ack, 0, Buffer.alloc(0)));
    } else if (kind === type.ping) {
      if ((flags & flag.ack) === 0) this.#socket.write(frame(type.ping, flag.ack, 0, payload));
    } else if (kind === type.windowUpdate) this.#widen(id, payload.readUInt32BE(0));
    else if (kind === type.goAway && payload.readUInt32BE(4) !== 0) {
      this.#fail(new Error(`the server ended the connection: ${payload.subarray(8)}`));
    } else if (kind === type.continuation) throw new Error('headers of several frames are not expected');
  }

  #beginData(flags, id, length) {
    if ((flags & flag.padded) !== 0) throw new Error('padding is not expected');
    const isLast = (flags & flag.endStream) !== 0;
    this.#data = { left: length, id, isLast };
    if (isLast && length === 0) this.#end(id);
  }

  #passOn(piece) {
    const { id, isLast } = this.#data;
    this.#data.left -= piece.length;
    this.#streams.get(id)?.onData(piece);
    this.#unacknowledged += piece.length;
    if (this.#unacknowledged > largestWindow / 2) {
      this.#socket.write(windowUpdate(this.#unacknowledged));
      this.#unacknowledged = 0;
    }
    if (isLast && this.#data.left === 0) this.#end(id);
  }

  #headers(flags, id, payload) {
    const stream = this.#streams.get(id);
    if (stream !== undefined && stream.status === 0) {
      stream.status = statusOf(payload);
      stream.onHeaders?.(stream.status);
    }
    if ((flags & flag.endStream) !== 0) this.#end(id);
  }

  #end(id) {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    stream?.onEnd(stream.status);
  }

  #reset(id, payload) {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    stream?.onFailure(new Error(`the server reset the stream: ${payload.readUInt32BE(0)}`));
  }

  #widen(id, bytes) {
    if (id !== 0) return;
    this.#sendWindow += bytes;
    while (this.#waiting.length > 0 && this.#waiting[0].length <= this.#sendWindow) {
      const next = this.#waiting.shift();
      this.#write(next.bytes, next.length);
    }
  }
}

/**
 * The number of bytes to read with the nine-byte frame header: data is passed on as it arrives, other frames are read
 * whole.
 */
function lengthToRead(bytes, at) {
  return bytes[at + 3] === type.data ? 0 : bytes.readUIntBE(at, 3);
}

function frame(kind, flags, id, payload) {
  const bytes = Buffer.allocUnsafe(9 + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = kind;
  bytes[4] = flags;
  bytes.writeUInt32BE(id, 5);
  payload.copy(bytes, 9);
  return bytes;
}

function windowUpdate(bytes) {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes);
  return frame(type.windowUpdate, 0, 0, payload);
}
