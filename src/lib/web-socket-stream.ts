import type { Duplex } from 'node:stream';
import { createWebSocketStream, type WebSocket } from 'ws';

/** The number of bytes that a stream has received and accepted for sending, named as in a socket. */
export interface ByteCounts {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/**
 * Returns the binary messages of a WebSocket as a stream of bytes that counts them. The stream is closed as soon as the WebSocket is. The
 * stream of the library would wait until its last data is sent, which never happens if the connection was lost. Node.js
 * ends the process if an HTTP/2 session then writes to it.
 */
export function webSocketStream(webSocket: WebSocket): Duplex & ByteCounts {
  // This listener must be called before the one of the library.
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
