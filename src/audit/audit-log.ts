import type { AuditEvent } from '../api/audit/audit-event.ts';

/** Cache of the serialized prefix that the lines of one request share. */
export interface LinePrefix {
  text?: string;
}

export interface AuditLog {
  /**
   * Resolves when the line has been written to the operating system. Rejects if it cannot be written. `beginning`: a
   * shared cache for events that are equal in all members before `objectRef`, so that the prefix is serialized once.
   */
  write(event: AuditEvent, beginning?: LinePrefix): Promise<void>;
  close(): Promise<void>;
}
