import type { ServerHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';

/**
 * Ends an HTTP/2 session whose peer answers no ping from one to the next. Peers vanish without a word; and the library
 * under Node stops reading a session that resets streams by the thousand and tells nobody, so its streams, its socket
 * and their memory would stay for ever. Such a session waits for its last bytes to leave even when it is destroyed:
 * the socket goes with it.
 */
export function pingSession(session: ServerHttp2Session, socket: Duplex, milliseconds: number): void {
  let answered = true;
  const timer = setInterval(() => {
    if (!answered) {
      session.destroy();
      socket.destroy();
    }
    if (session.destroyed) return;
    answered = false;
    session.ping(() => {
      answered = true;
    });
  }, milliseconds);
  timer.unref();
  session.once('close', () => clearInterval(timer));
}
