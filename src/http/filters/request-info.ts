import type { Exchange, Filter } from '../exchange.ts';
import { belowSegments, pathSegments, rawPath } from '../path-segments.ts';
import { requestInfoOf } from '../request-info.ts';

/** Finds out once what the path means to the plane that is mounted `depth` segments deep. */
export function requestInfo(options: { readonly depth: number }): Filter {
  return (exchange, next) => {
    exchange.info = requestInfoOf(exchange.request.method, segmentsBelow(exchange, options.depth), exchange.query);
    return next();
  };
}

function segmentsBelow({ segments, request }: Exchange, depth: number): readonly string[] {
  // Of a path that cannot be decoded, or that has more than one slash somewhere, only the text tells what is below.
  const isPlain = segments !== undefined && !segments.includes('');
  return isPlain ? segments.slice(depth) : pathSegments(belowSegments(rawPath(request.url), depth));
}
