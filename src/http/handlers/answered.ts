import { listKindOf } from '../../api/resource.ts';
import type { Served, ServedList } from '../../registry/verbs.ts';
import type { Endpoint } from './endpoint.ts';

/** Leaves with the exchange what is about to be answered: audit may be told to keep it. */
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
