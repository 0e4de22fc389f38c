import { type Exchange, goesOn, type Handler, type Reply } from './exchange.ts';
import { followSignal } from './request-end.ts';

/**
 * Has another signal end the request too. To be told of the answer when it stands, or that there is none: what is still
 * being made then, a stream or a long list, follows the signal until it is over.
 */
export function joinSignal(exchange: Exchange, another: AbortSignal): (reply: Reply | undefined) => void {
  const letGo = followSignal(another, (reason) => exchange.end.end(reason));
  return (reply) => {
    // A socket tells the end of its stream too.
    if (reply !== undefined && goesOn(reply)) exchange.end.follow(letGo);
    else letGo();
  };
}

/** Runs the rest of a chain with another signal that ends the request too. */
export async function withSignal(exchange: Exchange, another: AbortSignal, next: Handler): Promise<Reply> {
  const answered = joinSignal(exchange, another);
  let reply: Reply | undefined;
  try {
    reply = await next(exchange);
    return reply;
  } finally {
    answered(reply);
  }
}
