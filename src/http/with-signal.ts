import { type Exchange, goesOn, type Reply } from './exchange.ts';
import { followSignal } from './request-end.ts';

/**
 * Runs the rest of a chain with another signal that ends the request too; what is still being made when the answer
 * stands, a stream or a long list, follows it until it is over.
 */
export async function withSignal(exchange: Exchange, another: AbortSignal, next: () => Promise<Reply>): Promise<Reply> {
  const letGo = followSignal(another, (reason) => exchange.end.end(reason));
  let streams = false;
  try {
    const reply = await next();
    streams = goesOn(reply);
    return reply;
  } finally {
    // A socket tells the end of its stream too.
    if (streams) exchange.end.follow(letGo);
    else letGo();
  }
}
