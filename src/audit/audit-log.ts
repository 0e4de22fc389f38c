import type { AuditEvent } from '../api/audit/audit-event.ts';

export interface AuditLog {
  /** Resolves once the line is handed to the operating system; rejects if it cannot be written. */
  write(event: AuditEvent): Promise<void>;
  close(): Promise<void>;
}
