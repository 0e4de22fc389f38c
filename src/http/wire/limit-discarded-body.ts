import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The maximum length of the rest of a request body that is read and discarded after the response, so that the
 * connection can be used again. It is larger than the limit of 3 MiB for bodies: if the server closed the connection,
 * some clients would send the next request before they notice this, and that request would fail. Each chunk takes a
 * microsecond, however short it is.
 */
const maxDiscardedBytes = 4 * 1024 * 1024;
const maxDiscardedChunks = 1_000;

/**
 * The time between the end of the response and the end of the connection. If the server closed the connection before
 * the client has sent everything, the client's operating system could discard the response.
 */
const lingerMs = 500;

/**
 * Closes the connection of a request whose handler responds without reading the body, if the rest of the body is long.
 * Without this limit, Node would read the body until its end, and a client without a credential can send chunks of one
 * byte as fast as it likes.
 */
export function limitDiscardedBody(message: IncomingMessage, response: ServerResponse): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers;
  if (length === undefined && encoding === undefined) return;
  // Runs before Node's own listener, which would discard the rest of an unread body.
  response.prependOnceListener('finish', () => {
    if (message.complete || message.destroyed || message.readableDidRead) return;
    discardRest(message, message.socket);
  });
}

function discardRest(message: IncomingMessage, socket: Socket): void {
  let bytes = 0;
  let chunks = 0;
  const onData = (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    chunks++;
    if (bytes <= maxDiscardedBytes && chunks <= maxDiscardedChunks) return;
    message.off('data', onData);
    message.pause();
    socket.end();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };
  // Makes Node treat the body as being read now. `on` would do so only in the next tick.
  message.read(0);
  message.on('data', onData);
}
