import type { AuditEvent } from '../api/audit/audit-event.ts';

/**
 * The cached serialization of the start of an audit line, so that the two events of one request serialize it only once.
 */
export interface AuditLinePrefix {
  text?: string;
}

export interface AuditLog {
  /**
   * Resolves after the line has been passed to the operating system. Rejects if it cannot be written. `prefix` is
   * optional. Pass the same object for all events that are equal in every member before `objectRef`: the first call
   * stores the serialized members in it, and later calls reuse them.
   */
  write(event: AuditEvent, prefix?: AuditLinePrefix): Promise<void>;
  close(): Promise<void>;
}
