import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditOutbox } from './audit-outbox.ts';

/** Every line is written into the agent's own log, and is put out for the centre. */
export function handedOverLog(own: AuditLog, outbox: AuditOutbox): AuditLog {
  return {
    async write(event) {
      await own.write(event);
      await outbox.add(JSON.stringify(event));
    },
    async close() {
      await own.close();
      await outbox.close();
    },
  };
}
