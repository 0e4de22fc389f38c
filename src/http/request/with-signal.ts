import type { Exchange, Handler } from '../exchange.ts';
import { hasDeferredBody, type Reply } from '../reply.ts';
import { onAbort } from './request-end.ts';

/**
 * Ends the request if `signal` aborts. The caller must call the returned function with the reply, or with `undefined`
 * if there is no reply. The returned function makes the request ignore the signal: from the end of the body if the
 * reply has a deferred body, otherwise immediately.
 */
export function linkAbortSignal({ end }: Exchange, signal: AbortSignal): (reply: Reply | undefined) => void {
  // The signal references this listener during a whole watch, so the listener must not reference the exchange.
  const stop = onAbort(signal, (reason) => end.end(reason));
  return (reply) => {
    // `end` also reports that the body has been written to the socket, so `stop` is called at that time.
    if (reply !== undefined && hasDeferredBody(reply)) end.onEnd(stop);
    else stop();
  };
}

/** Runs the next handler. Ends the request if `signal` aborts before the end of the response. */
export async function runWithAbortSignal(exchange: Exchange, signal: AbortSignal, next: Handler): Promise<Reply> {
  const onReply = linkAbortSignal(exchange, signal);
  let reply: Reply | undefined;
  try {
    reply = await next(exchange);
    return reply;
  } finally {
    onReply(reply);
  }
}
