import type { ServerHttp2Session } from 'node:http2';
import type { ListenLimits } from './listen-limits.ts';

/**
 * Ends an HTTP/2 session whose peer is gone or means harm. The library under Node stops reading a session that resets
 * too many streams and tells nobody, so its streams, its socket and their memory would stay for ever; likewise a peer
 * that vanished without a word. Neither answers a ping.
 */
export function guardSession(
  session: ServerHttp2Session,
  limits: Pick<ListenLimits, 'pingMilliseconds' | 'resetsPerPing'>,
): void {
  let resets = 0;
  let answered = true;
  const timer = setInterval(() => {
    resets = 0;
    if (!answered) session.destroy();
    if (session.destroyed) return;
    answered = false;
    session.ping(() => {
      answered = true;
    });
  }, limits.pingMilliseconds);
  timer.unref();
  session.once('close', () => clearInterval(timer));
  session.on('stream', (stream) => {
    stream.once('aborted', () => {
      resets++;
      if (resets > limits.resetsPerPing) session.destroy();
    });
  });
}
