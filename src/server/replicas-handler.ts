import { type ReplicaList, replicaListKind, replicasApiVersion } from '../api/replicas/replica-list.ts';
import type { Handler } from '../http/exchange.ts';
import { negotiate } from '../http/negotiate/negotiate.ts';
import { renderReply } from '../http/negotiate/render.ts';
import type { Replicas } from '../replicas/replicas.ts';

/** GET `/replicas`: returns the state of all servers that share the store. */
export function replicasHandler(replicas: Replicas): Handler {
  return async ({ request, query }) => {
    const form = negotiate(request, query, { formats: ['json'] });
    const list: ReplicaList = {
      kind: replicaListKind,
      apiVersion: replicasApiVersion,
      ...(await replicas.list()),
    };
    const reply = renderReply(JSON.stringify(list), 200, form);
    reply.headers['cache-control'] = 'no-store';
    return reply;
  };
}
