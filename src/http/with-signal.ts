import { type Exchange, isStream, type Reply } from './exchange.ts';
import { linkSignals } from './link-signals.ts';

/** Runs the rest of a chain with another signal that ends the request too; a stream keeps both until it is over. */
export async function withSignal(exchange: Exchange, another: AbortSignal, next: () => Promise<Reply>): Promise<Reply> {
  const { signal, unlink } = linkSignals(exchange.signal, another);
  exchange.signal = signal;
  let streams = false;
  try {
    const reply = await next();
    streams = isStream(reply);
    return reply;
  } finally {
    // A socket's own signal fires at the end of its stream, and lets go of both.
    if (!streams) unlink();
  }
}
