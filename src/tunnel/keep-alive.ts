import type { Http2Session } from 'node:http2';
import type { Clock } from '../lib/clock.ts';

const pingMilliseconds = 10_000;
/** The maximum number of unanswered pings. On a slow connection, a ping waits behind other data. */
const maxUnanswered = 3;

/**
 * Sends pings until the session closes, and passes the round trip time of each to `onRoundTrip`. Calls `onLost` if
 * several pings in a row are not answered: the peer has disappeared without closing the connection.
 */
export function keepAlive(
  session: Http2Session,
  clock: Clock,
  { onRoundTrip, onLost }: { onRoundTrip?(milliseconds: number): void; onLost(): void },
): void {
  let unanswered = 0;
  let cancel = () => {};
  const ping = () => {
    if (session.destroyed) return;
    if (unanswered === maxUnanswered) {
      onLost();
      return;
    }
    unanswered++;
    session.ping((error, milliseconds) => {
      if (error !== null) return;
      unanswered = 0;
      onRoundTrip?.(milliseconds);
    });
    cancel = clock.after(pingMilliseconds, ping);
  };
  session.once('close', () => cancel());
  ping();
}
