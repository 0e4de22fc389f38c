import { randomUUID } from 'node:crypto';
import { noSuchPath } from '../api/status.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Remembered } from '../lib/remembered.ts';
import { openChain } from './chain.ts';
import type { Exchange, Handler, IncomingRequest, Reply } from './exchange.ts';
import { pathSegments, rawPath, rawQuery } from './path-segments.ts';
import { followSignal, RequestEnd } from './request-end.ts';
import { type RequestInfo, rememberedUrls, unreadInfo } from './request-info.ts';
import { Settlement } from './settlement.ts';

/** A part of the address space. The first mount whose prefix is the beginning of the path, segment by segment, serves. */
export interface Mount {
  /** `/kubernetes/management`; `/` is the root alone. */
  readonly prefix: string;
  /** Only this path, nothing below it. */
  readonly exact?: boolean;
  readonly handler: Handler;
}

export interface RouterOptions {
  readonly mounts: readonly Mount[];
  /** What is on the paths that no mount takes. Absent: nothing. */
  readonly rest?: Handler;
  readonly clock: Clock;
  readonly log: Log;
}

interface Route {
  readonly segments: readonly string[];
  readonly handler: Handler;
}

/** The whole address space as one function (completions §1): what nobody takes is a 404 Status. */
export function router(options: RouterOptions): (request: IncomingRequest) => Promise<Reply> {
  const mounts = options.mounts.map((mount) => ({ ...mount, segments: pathSegments(mount.prefix) }));
  const nothing = openChain({ clock: options.clock, log: options.log, depth: 0 }, () => {
    throw noSuchPath();
  });
  const rest = options.rest ?? nothing;
  const routeOf = (url: string): Route => {
    const segments = segmentsOf(url);
    const mount = mounts.find((candidate) => serves(candidate, segments));
    return { segments, handler: mount?.handler ?? rest };
  };
  // What is made again and again is made at the same path; what is done to it has a path of its own.
  const creations = new Remembered<Route>(rememberedUrls);
  const knownRoute = (url: string): Route => {
    const known = creations.get(url);
    if (known !== undefined) return known;
    const route = routeOf(url);
    creations.set(url, route);
    return route;
  };
  return (request) => {
    const exchange = newExchange(request, options.clock);
    const { segments, handler } = request.method === 'POST' ? knownRoute(request.url) : routeOf(request.url);
    exchange.segments = segments;
    return handler(exchange);
  };
}

function serves(mount: { segments: string[]; exact?: boolean }, path: readonly string[]): boolean {
  const { segments } = mount;
  if (segments.length === 0 || mount.exact === true) {
    if (segments.length !== path.length) return false;
  }
  return segments.length <= path.length && segments.every((segment, index) => segment === path[index]);
}

/** A path that cannot be decoded belongs to nobody; the chain that answers it says what is wrong with it. */
function segmentsOf(url: string): string[] {
  try {
    return pathSegments(rawPath(url));
  } catch {
    return [''];
  }
}

/** Longer ids are no ids; what a client sends here ends up in every line of the log. */
const auditIdForm = /^[A-Za-z0-9._:/+=-]{1,64}$/;

/** Shared by all who have none; nobody changes what was sent. */
const noQuery = new URLSearchParams();

function queryOf(url: string): URLSearchParams {
  const query = rawQuery(url);
  return query === '' ? noQuery : new URLSearchParams(query);
}

export function newExchange(request: IncomingRequest, clock: Clock): Exchange {
  return new RoutedExchange(request, clock);
}

/** A class, and no object that is written down with a getter in it: those are slow to make and slow to read. */
class RoutedExchange implements Exchange {
  readonly request: IncomingRequest;
  readonly query: URLSearchParams;
  readonly auditId: string;
  readonly receivedAt: number;
  readonly began: number;
  readonly end = new RequestEnd();
  readonly settlement = new Settlement();
  info: RequestInfo;
  readonly warnings: string[] = [];
  // All of them from the beginning: objects that get their members by and by, each in another order, are slow to read.
  segments: Exchange['segments'] = undefined;
  presented: Exchange['presented'] = undefined;
  identity: Exchange['identity'] = undefined;
  turn: Exchange['turn'] = undefined;
  place: Exchange['place'] = undefined;
  annotations: Exchange['annotations'] = undefined;
  sent: Exchange['sent'] = undefined;
  answered: Exchange['answered'] = undefined;
  madeName: Exchange['madeName'] = undefined;
  decision: Exchange['decision'] = undefined;
  plane: Exchange['plane'] = undefined;

  constructor(request: IncomingRequest, clock: Pick<Clock, 'now' | 'elapsed'>) {
    const sent = request.headers['audit-id'];
    const { end } = this;
    // A signal may outlive many requests, and keeps nothing of those that are over.
    if (request.end === undefined) end.follow(followSignal(request.signal, (reason) => end.end(reason)));
    else request.end.follow((reason) => end.end(reason));
    this.request = request;
    this.query = queryOf(request.url);
    this.auditId = sent !== undefined && auditIdForm.test(sent) ? sent : randomUUID();
    this.receivedAt = clock.now();
    this.began = clock.elapsed();
    this.info = unreadInfo(request.method);
  }

  get signal(): AbortSignal {
    return this.end.signal;
  }
}
