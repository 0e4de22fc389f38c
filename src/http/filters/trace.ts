import type { Identity } from '../../auth/identity.ts';
import { formatTraceparent, parseTraceparent } from '../../lib/trace/trace-context.ts';
import type { Tracer } from '../../lib/trace/tracer.ts';
import type { Exchange, Filter, IncomingRequest } from '../exchange.ts';
import { knownPaths } from '../metrics/request-labels.ts';
import { hasDeferredBody } from '../reply.ts';
import { rawPath } from '../request/path-segments.ts';

export interface TraceOptions {
  readonly tracer: Tracer;
  /** The number of leading path segments of the mount (`ChainOptions.depth`). */
  readonly depth: number;
  /** True if the sampling decision that the caller sends must be followed. */
  isTrusted(identity: Identity): boolean;
}

/**
 * Traces a share of the requests. This filter runs after authentication, because only the sampling decisions of trusted
 * callers are followed. Nevertheless, the span begins when the request arrives. The span ends when the response is
 * ready, so it does not include the time for sending a stream.
 */
export function traceFilter({ tracer, depth, isTrusted }: TraceOptions): Filter {
  return (exchange, next) => {
    const { request, identity, receivedAt, receivedElapsed } = exchange;
    const parent = parseTraceparent(request.headers.traceparent);
    const span = tracer.start({
      name: methodOf(request),
      kind: 'server',
      parent,
      isTrusted: parent !== undefined && identity !== undefined && isTrusted(identity),
      started: { at: receivedAt, elapsed: receivedElapsed },
    });
    if (span === undefined) {
      if (parent !== undefined) exchange.unsampledParent = formatTraceparent(parent, false);
      return next(exchange);
    }
    exchange.span = span;
    exchange.completion.onComplete((reply) => {
      const route = routeOf(exchange, depth);
      span.set('http.request.method', methodOf(request));
      span.set('http.route', route);
      span.set('http.response.status_code', reply.status);
      span.set('network.protocol.version', request.httpVersion);
      const agent = request.headers['user-agent'];
      if (agent !== undefined) span.set('user_agent.original', agent);
      span.set('flotilla.audit_id', exchange.auditId);
      if (hasDeferredBody(reply)) span.set('flotilla.streaming', true);
      addRequestInfo(exchange);
      span.end({ name: `${methodOf(request)} ${route}`, hasFailed: reply.status >= 500 });
    });
    return next(exchange);
  };
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Returns the method for the name of a span. Unknown methods are replaced, because clients can send any text and the
 * number of span names must stay small.
 */
function methodOf({ method }: IncomingRequest): string {
  return knownMethods.has(method) ? method : '_OTHER';
}

function addRequestInfo({ span, info }: Exchange): void {
  if (!info.isResource) return;
  span?.set('flotilla.verb', info.verb);
  span?.set('flotilla.group', info.group);
  span?.set('flotilla.version', info.version);
  span?.set('flotilla.resource', info.resource);
  if (info.subresource !== '') span?.set('flotilla.subresource', info.subresource);
}

/**
 * Returns the path with a placeholder for each part that a client chooses, for example
 * `/kubernetes/cluster/{cluster}/apis/{group}/{version}/namespaces/{namespace}/{resource}/{name}`.
 */
function routeOf(exchange: Exchange, depth: number): string {
  const { info, request } = exchange;
  const segments = exchange.segments ?? rawPath(request.url).split('/').slice(1);
  const mount = mountOf(segments, depth);
  if (!info.isResource) return `${mount}${nonResourceRoute(segments, depth)}`;
  const root = info.group === '' ? '/api/{version}' : '/apis/{group}/{version}';
  const namespace = info.namespace === '' || info.resource === 'namespaces' ? '' : '/namespaces/{namespace}';
  const name = info.pathName === '' ? '' : '/{name}';
  return `${mount}${root}${namespace}/{resource}${name}${info.subresource === '' ? '' : '/{subresource}'}`;
}

/**
 * Returns the path of the mount: `/<prefix>/management`, `/<prefix>/cluster/<name>` or
 * `/<prefix>/project/<name>/<type>/<name>`. Longer mounts address a virtual cluster through the subresource `proxy`.
 */
function mountOf(segments: readonly string[], depth: number): string {
  const [prefix, kind, , type] = segments;
  if (depth < 2) return '';
  if (depth === 2) return `/${prefix}/${kind}`;
  if (depth === 3) return `/${prefix}/${kind}/{name}`;
  if (depth === 5) return `/${prefix}/${kind}/{project}/${type}/{name}`;
  return `/${prefix}/${kind}/{name}/{virtualcluster}/proxy`;
}

function nonResourceRoute(segments: readonly string[], depth: number): string {
  const [first, ...rest] = segments.slice(depth);
  if (first === undefined) return depth === 0 ? '/' : '';
  // For a path outside of any control plane (depth 0), the first segment is a route of this server, so clients cannot
  // choose it.
  const known = depth === 0 || knownPaths.has(`/${first}`) ? first : '{path}';
  return rest.length === 0 ? `/${known}` : `/${known}/{path}`;
}
