import type { Filter } from '../exchange.ts';
import { belowSegments, rawPath } from '../path-segments.ts';
import { parseRequestInfo } from '../request-info.ts';

/** Finds out once what the path means to the plane that is mounted `depth` segments deep. */
export function requestInfo(options: { readonly depth: number }): Filter {
  return (exchange, next) => {
    const path = belowSegments(rawPath(exchange.request.url), options.depth);
    exchange.info = parseRequestInfo(exchange.request.method, path, exchange.query);
    return next();
  };
}
