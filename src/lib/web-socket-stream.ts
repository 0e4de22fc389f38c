import type { Duplex } from 'node:stream';
import { createWebSocketStream, type WebSocket } from 'ws';

/**
 * Returns the binary messages of a WebSocket as a stream of bytes. The stream is closed as soon as the WebSocket is. The
 * stream of the library would wait until its last data is sent, which never happens if the connection was lost. Node.js
 * ends the process if an HTTP/2 session then writes to it.
 */
export function webSocketStream(webSocket: WebSocket): Duplex {
  // This listener must be called before the one of the library.
  webSocket.once('close', () => stream.destroy());
  const stream = createWebSocketStream(webSocket);
  return stream;
}
