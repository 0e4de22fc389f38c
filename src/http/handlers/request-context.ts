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
  return {
    user: caller.user,
    ...(caller.accessKey === undefined ? {} : { accessKey: caller.accessKey }),
    system: caller.system,
    namespace: kind.namespaced ? exchange.info.namespace : '',
    pathName: exchange.info.pathName,
    get signal() {
      return exchange.signal;
    },
    isOver: () => exchange.end.isOver,
    ...(exchange.turn === undefined ? {} : { turn: exchange.turn }),
    ...(queryFlag(exchange.query, 'extended') === true ? { extended: true } : {}),
    warn: (text) => void exchange.warnings.push(text),
    annotate(key, value) {
      exchange.annotations = { ...exchange.annotations, [key]: value };
    },
    ...(mayRead === undefined ? {} : { mayRead }),
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
}
