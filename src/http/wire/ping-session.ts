import type { ServerHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';

/** The tolerated number of unanswered pings. On a slow connection, a ping waits behind megabytes of earlier data. */
const maxUnanswered = 4;

/**
 * Ends an HTTP/2 session whose peer misses several pings in a row. Peers vanish without closing. And the library under
 * Node stops reading a session that resets streams by the thousand without reporting it, so its streams, socket and
 * memory would stay forever. Such a session waits for its last bytes to be sent even when it is destroyed, so the
 * socket is destroyed as well.
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
