import { Remembered } from '../../lib/remembered.ts';
import type { Exchange, Filter } from '../exchange.ts';
import { belowSegments, pathSegments, rawPath } from '../path-segments.ts';
import { type RequestInfo, rememberedUrls, requestInfoOf } from '../request-info.ts';

/** Finds out once what the path means to the plane that is mounted `depth` segments deep. */
export function requestInfo(options: { readonly depth: number }): Filter {
  // What is made again and again is made at the same path; what is done to it has a path of its own, which hardly comes again.
  const creations = new Remembered<RequestInfo>(rememberedUrls);
  const infoOf = ({ request, query, segments }: Exchange): RequestInfo =>
    requestInfoOf(request.method, segmentsBelow(segments, request, options.depth), query);
  return (exchange, next) => {
    const { method, url } = exchange.request;
    if (method !== 'POST') exchange.info = infoOf(exchange);
    else {
      const known = creations.get(url);
      exchange.info = known ?? infoOf(exchange);
      if (known === undefined) creations.set(url, exchange.info);
    }
    return next(exchange);
  };
}

function segmentsBelow(segments: Exchange['segments'], request: Exchange['request'], depth: number): readonly string[] {
  // Of a path that cannot be decoded, or that has more than one slash somewhere, only the text tells what is below.
  const isPlain = segments !== undefined && !segments.includes('');
  return isPlain ? segments.slice(depth) : pathSegments(belowSegments(rawPath(request.url), depth));
}
