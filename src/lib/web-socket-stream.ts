import type { Duplex } from 'node:stream';
import { createWebSocketStream, type WebSocket } from 'ws';

/**
 * The numbers of bytes that a stream has received and has accepted for sending. The properties have the names that
 * `net.Socket` uses.
 */
export interface ByteCounts {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/**
 * Returns a stream of the bytes in the binary messages of a WebSocket. The stream counts these bytes, and is closed as
 * soon as the WebSocket is closed. The stream of the `ws` library, in contrast, waits until its last data is sent,
 * which never happens after a lost connection. If an HTTP/2 session then wrote to that stream, Node.js would end the
 * process.
 */
export function webSocketStream(webSocket: WebSocket): Duplex & ByteCounts {
  // Registered before the library's listener, because this listener must be called first.
  webSocket.once('close', () => stream.destroy());
  const stream = Object.assign(createWebSocketStream(webSocket), { bytesRead: 0, bytesWritten: 0 });
  webSocket.on('message', (data) => {
    for (const part of [data].flat()) stream.bytesRead += part.byteLength;
  });
  const write = stream._write.bind(stream);
  stream._write = (chunk: Buffer, encoding, done) => {
    stream.bytesWritten += chunk.length;
    write(chunk, encoding, done);
  };
  return stream;
}
