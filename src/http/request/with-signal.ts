import type { Exchange, Handler } from '../exchange.ts';
import { hasDeferredBody, type Reply } from '../reply.ts';
import { onAbort } from './request-end.ts';

/**
 * Ends the request when another signal aborts, too. The caller passes the reply to the returned function, or
 * `undefined` if there is none. A body that is still being produced then, a stream or a long list, follows the signal
 * until its end.
 */
export function linkSignal(exchange: Exchange, signal: AbortSignal): (reply: Reply | undefined) => void {
  const stop = onAbort(signal, (reason) => exchange.end.end(reason));
  return (reply) => {
    // A socket also reports the end of its stream.
    if (reply !== undefined && hasDeferredBody(reply)) exchange.end.onEnd(stop);
    else stop();
  };
}

/** Runs the rest of a chain and ends the request when another signal aborts, too. */
export async function withSignal(exchange: Exchange, signal: AbortSignal, next: Handler): Promise<Reply> {
  const onReply = linkSignal(exchange, signal);
  let reply: Reply | undefined;
  try {
    reply = await next(exchange);
    return reply;
  } finally {
    onReply(reply);
  }
}
