import type { ServerHttp2Session } from 'node:http2';

/**
 * Ends an HTTP/2 session whose peer answers no ping from one to the next. Peers vanish without a word; and the library
 * under Node stops reading a session that resets streams by the thousand and tells nobody, so its streams, its socket
 * and their memory would stay for ever.
 */
export function pingSession(session: ServerHttp2Session, milliseconds: number): void {
  let answered = true;
  const timer = setInterval(() => {
    if (!answered) session.destroy();
    if (session.destroyed) return;
    answered = false;
    session.ping(() => {
      answered = true;
    });
  }, milliseconds);
  timer.unref();
  session.once('close', () => clearInterval(timer));
}
