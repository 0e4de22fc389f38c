import { listKindOf } from '../../api/resource.ts';
import type { Served, ServedList } from '../../registry/verbs.ts';
import type { Endpoint } from './endpoint.ts';

/** Stores the response object on the exchange, in case the audit policy records it. */
export function answered<T extends Served>(endpoint: Endpoint, served: T): T {
  endpoint.exchange.answered = { kind: endpoint.kind, value: () => served.object };
  return served;
}

export function answeredList(endpoint: Endpoint, list: ServedList): ServedList {
  const { kind, exchange } = endpoint;
  exchange.answered = {
    kind,
    value: () => ({ kind: listKindOf(kind), items: list.items.map((item) => item.object) }),
  };
  return list;
}
