import type { ResourceKind } from '../../api/resource.ts';
import type { RequestContext } from '../../registry/context.ts';
import { callerOf } from '../caller.ts';
import type { Exchange } from '../exchange.ts';
import type { Plane } from '../plane.ts';
import { queryFlag } from '../query-flag.ts';

/** What the verbs get to know of a request. */
export function requestContext(plane: Plane, kind: ResourceKind, exchange: Exchange): RequestContext {
  const caller = callerOf(exchange);
  const mayRead = plane.mayRead(caller, kind, exchange.info.verb);
  const { gate } = caller;
  const context: Writable<RequestContext> = {
    user: caller.user,
    system: caller.system,
    namespace: kind.namespaced ? exchange.info.namespace : '',
    pathName: exchange.info.pathName,
    get signal() {
      return exchange.signal;
    },
    isOver: () => exchange.end.isOver,
    warn: (text) => void exchange.warnings.push(text),
    annotate(key, value) {
      exchange.annotations = { ...exchange.annotations, [key]: value };
    },
    async may(asked) {
      const decision = await plane.authorize(caller, {
        resourceRequest: true,
        verb: asked.verb,
        group: asked.group,
        version: exchange.info.version,
        resource: asked.resource,
        subresource: asked.subresource ?? '',
        namespace: asked.namespace ?? '',
        name: asked.name ?? '',
      });
      return decision.allowed;
    },
  };
  // Each part that may be missing is added by itself: to put an object together from parts takes several times as long.
  if (caller.accessKey !== undefined) context.accessKey = caller.accessKey;
  if (exchange.turn !== undefined) context.turn = exchange.turn;
  if (queryFlag(exchange.query, 'extended') === true) context.extended = true;
  if (mayRead !== undefined) context.mayRead = mayRead;
  if (gate !== undefined) context.passes = (asked) => gate(asked);
  return context;
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] };
