import { listKindOf } from '../../api/resource.ts';
import type { ServedList, ServedObject } from '../../registry/verbs.ts';
import type { Endpoint } from './endpoint.ts';

/** Stores the response object in the exchange for the audit filter, which logs it if the audit policy requires it. */
export function setAuditedResponse<T extends ServedObject>(endpoint: Endpoint, served: T): T {
  endpoint.exchange.auditedResponse = { kind: endpoint.kind, value: () => served.object };
  return served;
}

export function setAuditedListResponse(endpoint: Endpoint, list: ServedList): ServedList {
  const { kind, exchange } = endpoint;
  exchange.auditedResponse = {
    kind,
    value: () => ({ kind: listKindOf(kind), items: list.items.map((item) => item.object) }),
  };
  return list;
}
