import type { AuditEvent } from '../api/audit/audit-event.ts';

/** An audit event of a create at the beginning of 2026. */
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
    // Always the last member of a line.
    stageTimestamp: stageTimestamp ?? '2026-01-01T00:00:00Z',
  };
}

/** The time of the line with that number, one line per second. */
export function atSecond(number: number): string {
  return new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString().replace('.000Z', 'Z');
}
