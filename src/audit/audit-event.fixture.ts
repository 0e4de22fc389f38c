import type { AuditEvent } from '../api/audit/audit-event.ts';

/** Returns the audit event of a create request in January 2026. `changes` replaces members of the event. */
export function auditEvent({ stageTimestamp, ...changes }: Partial<AuditEvent> = {}): AuditEvent {
  return {
    level: 'Metadata',
    auditID: 'id',
    stage: 'ResponseComplete',
    verb: 'create',
    requestURI: '/x',
    sourceIPs: ['127.0.0.1'],
    userAgent: 'kubectl',
    requestReceivedTimestamp: '2026-01-01T00:00:00Z',
    ...changes,
    // Set this member last, because the log search relies on audit lines ending with it.
    stageTimestamp: stageTimestamp ?? '2026-01-01T00:00:00Z',
  };
}

/**
 * Returns the timestamp of a test event. Event 0 is at 2026-01-01T00:00:00Z, and each further event is one second
 * later.
 */
export function auditTimestampAt(number: number): string {
  return new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString().replace('.000Z', 'Z');
}
