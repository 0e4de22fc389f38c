import type { ServerHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';

/**
 * The number of pings in a row that a peer may leave unanswered. On a slow connection, a ping may wait until megabytes
 * of other data are sent.
 */
const maxUnanswered = 4;

/**
 * Destroys an HTTP/2 session that leaves several pings in a row unanswered, because its memory might otherwise never be
 * freed. The peer may have disappeared without closing the connection. Or nghttp2 may have stopped reading the session,
 * without an error, because the client reset thousands of streams. A destroyed session still waits until its data is
 * sent, so the socket is destroyed too.
 */
export function pingSession(session: ServerHttp2Session, socket: Duplex, milliseconds: number): void {
  let unanswered = 0;
  const timer = setInterval(() => {
    if (unanswered === maxUnanswered) {
      session.destroy();
      socket.destroy();
    }
    if (session.destroyed) return;
    unanswered++;
    session.ping(() => {
      unanswered = 0;
    });
  }, milliseconds);
  timer.unref();
  session.once('close', () => clearInterval(timer));
}
