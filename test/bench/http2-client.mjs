import { once } from 'node:events';
import { connect, constants } from 'node:http2';

/** One client with one session of HTTP/2. See `connect` for what clients do. */
export function connectHttp2(server) {
  const session = connect(server.url, { ca: server.ca, settings: { initialWindowSize: 1024 * 1024 } });
  // Large enough that lists are limited by the server and not by the round trips of flow control.
  session.once('connect', () => session.setLocalWindowSize(16 * 1024 * 1024));
  session.setMaxListeners(0);
  // Requests under way fail with it; there is nobody else to tell.
  session.on('error', () => {});
  const open = async (method, path, headers, body) => {
    const stream = session.request({
      ':method': method,
      ':path': path,
      authorization: server.authorization,
      ...headers,
    });
    stream.end(body);
    const [head] = await once(stream, 'response');
    return { stream, status: head[':status'] };
  };
  return {
    async send(method, path, headers, body) {
      const { stream, status } = await open(method, path, headers, body);
      const chunks = [];
      for await (const chunk of stream) chunks.push(chunk);
      return { status, body: Buffer.concat(chunks) };
    },
    async stream(path, onData) {
      const { stream, status } = await open('GET', path, {});
      stream.on('error', () => {}).on('data', onData);
      return { status, close: () => stream.close(constants.NGHTTP2_CANCEL) };
    },
    // Not `destroy`: Node's client can corrupt its own memory when it is destroyed with answers left unread.
    async close() {
      if (session.destroyed) return;
      const closed = once(session, 'close');
      session.close();
      await closed;
    },
  };
}
