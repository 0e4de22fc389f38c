import { randomUUID } from 'node:crypto';
import { pathNotFound } from '../api/status.ts';
import { BoundedCache } from '../lib/bounded-cache.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { publicChain } from './chain.ts';
import type { Exchange, Handler, IncomingRequest } from './exchange.ts';
import type { Reply } from './reply.ts';
import { pathSegments, rawPath, rawQuery } from './request/path-segments.ts';
import { onAbort, RequestEnd } from './request/request-end.ts';
import { type RequestInfo, unparsedRequestInfo, urlCacheLimits } from './request/request-info.ts';
import { RequestCompletion } from './wire/request-completion.ts';

/** A part of the URL space. The first mount whose prefix matches the path, segment by segment, serves the request. */
export interface Mount {
  /** `/kubernetes/management`; `/` matches the root only. */
  readonly prefix: string;
  /** Matches only this path, not the paths below it. */
  readonly exact?: boolean;
  readonly handler: Handler;
}

export interface RouterOptions {
  readonly mounts: readonly Mount[];
  /** Serves paths that no mount matches. Optional; defaults to 404. */
  readonly fallback?: Handler;
  readonly clock: Clock;
  readonly log: Log;
}

interface Route {
  readonly segments: readonly string[];
  readonly handler: Handler;
}

/** The whole URL space as one function (completions §1). A path without a handler gets a 404 Status. */
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
  // Create requests repeat the same path, the collection's. Other writes have a path per object, so caching does not
  // help.
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

/** A path that cannot be decoded matches no mount; the chain that serves the 404 reports the error. */
function segmentsOf(url: string): string[] {
  try {
    return pathSegments(rawPath(url));
  } catch {
    return [''];
  }
}

/** Limits the length and characters of client-provided audit IDs, because every log line contains them. */
const auditIdPattern = /^[A-Za-z0-9._:/+=-]{1,64}$/;

/** Shared by all requests without a query. It is never modified. */
const noQuery = new URLSearchParams();

function queryOf(url: string): URLSearchParams {
  const query = rawQuery(url);
  return query === '' ? noQuery : new URLSearchParams(query);
}

export function newExchange(request: IncomingRequest, clock: Clock): Exchange {
  return new RoutedExchange(request, clock);
}

/** A class rather than an object literal with a getter, which is slow to create and slow to read. */
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
  // All members are set here: objects that get members later, in varying order, are slow to read.
  segments: Exchange['segments'] = undefined;
  credential: Exchange['credential'] = undefined;
  identity: Exchange['identity'] = undefined;
  nextTimeSlice: Exchange['nextTimeSlice'] = undefined;
  inFlightSlot: Exchange['inFlightSlot'] = undefined;
  annotations: Exchange['annotations'] = undefined;
  auditedRequest: Exchange['auditedRequest'] = undefined;
  auditedResponse: Exchange['auditedResponse'] = undefined;
  createdName: Exchange['createdName'] = undefined;
  decision: Exchange['decision'] = undefined;
  plane: Exchange['plane'] = undefined;

  constructor(request: IncomingRequest, clock: Pick<Clock, 'now' | 'elapsed'>) {
    const sent = request.headers['audit-id'];
    const { end } = this;
    // A signal can outlive many requests, so it must not retain those that have ended.
    if (request.end === undefined) end.onEnd(onAbort(request.signal, (reason) => end.end(reason)));
    else request.end.onEnd((reason) => end.end(reason));
    this.request = request;
    this.query = queryOf(request.url);
    this.auditId = sent !== undefined && auditIdPattern.test(sent) ? sent : randomUUID();
    this.receivedAt = clock.now();
    this.receivedElapsed = clock.elapsed();
    this.info = unparsedRequestInfo(request.method);
  }

  get signal(): AbortSignal {
    return this.end.signal;
  }
}
