import { type AuditCheckpointList, auditCheckpointListKind } from '../../api/audit/audit-chain.ts';
import { auditApiVersion } from '../../api/audit/audit-event.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { negotiate } from '../../http/negotiate/negotiate.ts';
import { renderReply } from '../../http/negotiate/render.ts';
import { yieldToEventLoop } from './audit-handler.ts';
import type { ServerAudit } from './open-server-audit.ts';
import type { VerifyAllLogs } from './verify-logs.ts';

/** GET `/audit/checkpoints`: the newest signed state of each audit log, and the key that verifies it. */
export function checkpointsHandler({
  key,
  checkpoints,
  signNow,
}: Pick<ServerAudit, 'key' | 'checkpoints' | 'signNow'>): Handler {
  return async ({ request, query }) => {
    const form = negotiate(request, query, { formats: ['json'] });
    // Stores the current checkpoint of this replica. The stored checkpoints of the other replicas are at most a minute
    // old.
    await signNow();
    const list: AuditCheckpointList = {
      kind: auditCheckpointListKind,
      apiVersion: auditApiVersion,
      publicKey: key.publicKey,
      items: await checkpoints.list(),
    };
    const reply = renderReply(JSON.stringify(list), 200, form);
    reply.headers['cache-control'] = 'no-store';
    return reply;
  };
}

/** GET `/audit/verify`: verifies the audit logs of all replicas, and returns one line of JSON per log. */
export function verifyHandler(verifyAll: VerifyAllLogs): Handler {
  return async (exchange) => ({
    status: 200,
    headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
    body: exchange.request.method === 'HEAD' ? '' : verifications(verifyAll, exchange),
  });
}

async function* verifications(verifyAll: VerifyAllLogs, exchange: Exchange): AsyncGenerator<string> {
  const turn = exchange.nextTimeSlice ?? yieldToEventLoop;
  for await (const each of verifyAll(exchange.signal, turn)) yield `${JSON.stringify(each)}\n`;
}
