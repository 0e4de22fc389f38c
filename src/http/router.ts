import { randomUUID } from 'node:crypto';
import { pathNotFound } from '../api/status.ts';
import { BoundedCache } from '../lib/bounded-cache.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { publicChain } from './chain.ts';
import type { Exchange, Handler, IncomingRequest } from './exchange.ts';
import type { Reply } from './reply.ts';
import { parseQuery } from './request/parse-query.ts';
import { pathSegments, rawPath } from './request/path-segments.ts';
import { onAbort, RequestEnd } from './request/request-end.ts';
import { type RequestInfo, unparsedRequestInfo, urlCacheLimits } from './request/request-info.ts';
import { RequestCompletion } from './wire/request-completion.ts';

/** A path prefix and its handler. The first mount whose segments match the start of the path serves the request. */
export interface Mount {
  /** The path prefix, for example `/kubernetes/management`. The prefix `/` matches only the root path. */
  readonly prefix: string;
  /** True if the mount matches only the prefix itself, and no paths below it. */
  readonly exact?: boolean;
  readonly handler: Handler;
}

export interface RouterOptions {
  readonly mounts: readonly Mount[];
  /** Serves paths that no mount matches. Optional; by default, they get 404. */
  readonly fallback?: Handler;
  readonly clock: Clock;
  readonly log: Log;
}

interface Route {
  readonly segments: readonly string[];
  readonly handler: Handler;
}

/** Returns a function that passes each request to the mount of its path (completions §1). Other paths get 404. */
export function router(options: RouterOptions): (request: IncomingRequest) => Promise<Reply> {
  const mounts = options.mounts.map((mount) => ({ ...mount, segments: pathSegments(mount.prefix) }));
  const notFound = publicChain({ clock: options.clock, log: options.log, depth: 0 }, () => {
    throw pathNotFound();
  });
  const fallback = options.fallback ?? notFound;
  const routeOf = (url: string): Route => {
    const segments = segmentsOf(url);
    const mount = mounts.find((candidate) => matches(candidate, segments));
    return { segments, handler: mount?.handler ?? fallback };
  };
  // Only create requests use this cache: all requests that create objects of one kind in one namespace have the same
  // path. Most other writes have the path of one object, and such a path rarely repeats.
  const createRoutes = new BoundedCache<Route>(urlCacheLimits);
  const cachedRoute = (url: string): Route => {
    const cached = createRoutes.get(url);
    if (cached !== undefined) return cached;
    const route = routeOf(url);
    createRoutes.set(url, route);
    return route;
  };
  return (request) => {
    const exchange = newExchange(request, options.clock);
    const { segments, handler } = request.method === 'POST' ? cachedRoute(request.url) : routeOf(request.url);
    exchange.segments = segments;
    return handler(exchange);
  };
}

function matches(mount: { segments: string[]; exact?: boolean }, path: readonly string[]): boolean {
  const { segments } = mount;
  if (segments.length === 0 || mount.exact === true) {
    if (segments.length !== path.length) return false;
  }
  return segments.length <= path.length && segments.every((segment, index) => segment === path[index]);
}

/**
 * Returns the decoded segments. A path with an invalid encoding has no segments, so it matches no mount and gets an
 * error.
 */
function segmentsOf(url: string): string[] {
  try {
    return pathSegments(rawPath(url));
  } catch {
    return [''];
  }
}

/**
 * Matches the audit IDs that clients may choose. Log lines contain the audit ID, so its length and characters are
 * limited.
 */
const auditIdPattern = /^[A-Za-z0-9._:/+=-]{1,64}$/;

/** Throws 400 if the query has too many parameters. */
export function newExchange(request: IncomingRequest, clock: Clock): Exchange {
  return new RoutedExchange(request, clock);
}

/** The exchange of a request from the router. It is a class, because an object literal with a getter is slow in V8. */
class RoutedExchange implements Exchange {
  readonly request: IncomingRequest;
  readonly query: URLSearchParams;
  readonly auditId: string;
  readonly receivedAt: number;
  readonly receivedElapsed: number;
  readonly end = new RequestEnd();
  readonly completion = new RequestCompletion();
  info: RequestInfo;
  readonly warnings: string[] = [];
  // All members are initialized here: V8 accesses members faster if all exchanges get them in the same order.
  segments: Exchange['segments'] = undefined;
  credential: Exchange['credential'] = undefined;
  identity: Exchange['identity'] = undefined;
  confirmation: Exchange['confirmation'] = undefined;
  freshRevision: Exchange['freshRevision'] = undefined;
  nextTimeSlice: Exchange['nextTimeSlice'] = undefined;
  inFlightSlot: Exchange['inFlightSlot'] = undefined;
  annotations: Exchange['annotations'] = undefined;
  auditLevel: Exchange['auditLevel'] = undefined;
  auditedRequest: Exchange['auditedRequest'] = undefined;
  auditedResponse: Exchange['auditedResponse'] = undefined;
  auditedUrl: Exchange['auditedUrl'] = undefined;
  createdName: Exchange['createdName'] = undefined;
  decision: Exchange['decision'] = undefined;
  plane: Exchange['plane'] = undefined;
  span: Exchange['span'] = undefined;

  constructor(request: IncomingRequest, clock: Pick<Clock, 'now' | 'elapsed'>) {
    const sent = request.headers['audit-id'];
    const { end } = this;
    // The listener is removed at the end of the request, because the signal can live longer than many requests.
    if (request.end === undefined) end.onEnd(onAbort(request.signal, (reason) => end.end(reason)));
    else request.end.onEnd((reason) => end.end(reason));
    this.request = request;
    this.query = parseQuery(request.url);
    this.auditId = sent !== undefined && auditIdPattern.test(sent) ? sent : randomUUID();
    this.receivedAt = clock.now();
    this.receivedElapsed = clock.elapsed();
    this.info = unparsedRequestInfo(request.method);
  }

  get signal(): AbortSignal {
    return this.end.signal;
  }
}
