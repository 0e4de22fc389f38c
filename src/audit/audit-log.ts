import type { AuditEvent } from '../api/audit/audit-event.ts';

/** How the lines of one request begin, as it was made for the first of them. */
export interface LineBeginning {
  text?: string;
}

export interface AuditLog {
  /**
   * Resolves once the line is handed to the operating system; rejects if it cannot be written. `beginning`: the same for
   * events that differ in nothing that stands before `objectRef`; what is made for the first is not made again.
   */
  write(event: AuditEvent, beginning?: LineBeginning): Promise<void>;
  close(): Promise<void>;
}
