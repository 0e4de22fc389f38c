import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditOutbox } from './audit-outbox.ts';

/** Returns an audit log that writes each event to the agent's own log and to the outbox for the control server. */
export function auditLogWithOutbox(ownLog: AuditLog, outbox: AuditOutbox): AuditLog {
  return {
    async write(event) {
      await ownLog.write(event);
      await outbox.add(JSON.stringify(event));
    },
    async close() {
      await ownLog.close();
      await outbox.close();
    },
  };
}
