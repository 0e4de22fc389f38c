import { BoundedCache } from '../../lib/bounded-cache.ts';
import type { Exchange, Filter } from '../exchange.ts';
import { pathBelowSegments, pathSegments, rawPath } from '../request/path-segments.ts';
import { type RequestInfo, requestInfoOf, urlCacheLimits } from '../request/request-info.ts';

/** Parses the path of the request, relative to a plane whose mount has `depth` path segments. */
export function requestInfo(options: { readonly depth: number }): Filter {
  // Only create requests use this cache: all requests that create objects of one kind in one namespace have the same
  // path. Most other requests have the path of one object, and such a path rarely repeats.
  const createInfos = new BoundedCache<RequestInfo>(urlCacheLimits);
  const infoOf = ({ request, query, segments }: Exchange): RequestInfo =>
    requestInfoOf(request.method, segmentsBelow(segments, request, options.depth), query);
  return (exchange, next) => {
    const { method, url } = exchange.request;
    if (method !== 'POST') exchange.info = infoOf(exchange);
    else {
      const cached = createInfos.get(url);
      exchange.info = cached ?? infoOf(exchange);
      if (cached === undefined) createInfos.set(url, exchange.info);
    }
    return next(exchange);
  };
}

function segmentsBelow(segments: Exchange['segments'], request: Exchange['request'], depth: number): readonly string[] {
  // A path with repeated slashes or an invalid encoding must be parsed again from its text.
  const isPlain = segments !== undefined && !segments.includes('');
  return isPlain ? segments.slice(depth) : pathSegments(pathBelowSegments(rawPath(request.url), depth));
}
