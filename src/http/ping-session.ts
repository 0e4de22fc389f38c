import type { ServerHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';

/** A ping waits behind what was sent before: on a slow line, megabytes of a list that is being read all the while. */
const mostUnanswered = 4;

/**
 * Ends an HTTP/2 session whose peer answers none of several pings. Peers vanish without a word; and the library under
 * Node stops reading a session that resets streams by the thousand and tells nobody, so its streams, its socket and
 * their memory would stay for ever. Such a session waits for its last bytes to leave even when it is destroyed: the
 * socket goes with it.
 */
export function pingSession(session: ServerHttp2Session, socket: Duplex, milliseconds: number): void {
  let unanswered = 0;
  const timer = setInterval(() => {
    if (unanswered === mostUnanswered) {
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
