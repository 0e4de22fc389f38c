import { UnstyledButton } from '@mantine/core';
import { Fragment, useState } from 'react';
import { type AuditEvent, isDryRunEvent } from '../../../src/api/audit/audit-event.ts';
import { Icon } from '../../components/icon.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { formatTime } from '../../data/format-time.ts';
import type { AuditSearch } from './audit-search.ts';
import classes from './audit-table.module.css';
import { EventDetails } from './event-details.tsx';
import { codeTone, requestText, userText } from './event-text.ts';

export interface AuditTableProps {
  readonly events: readonly AuditEvent[];
  /** Adds these filters to the search. */
  onNarrow(search: AuditSearch): void;
}

/** A table of audit events. Each row expands to the details of its event. */
export function AuditTable({ events, onNarrow }: AuditTableProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());

  function toggle(key: string): void {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  }

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll it only if it has the focus.
    <section className={classes.scroller} aria-label="Table of audit events" tabIndex={0}>
      <table className={classes.table}>
        <colgroup>
          <col className={classes.timeColumn} />
          <col className={classes.userColumn} />
          <col />
          <col className={classes.responseColumn} />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">User</th>
            <th scope="col">Request</th>
            <th scope="col">Response</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => {
            const key = `${event.auditID} ${event.stage} ${event.stageTimestamp}`;
            const isOpen = open.has(key);
            const code = event.responseStatus?.code;
            return (
              <Fragment key={key}>
                <tr>
                  <td className={classes.time}>
                    <UnstyledButton className={classes.toggle} aria-expanded={isOpen} onClick={() => toggle(key)}>
                      <Icon name={isOpen ? 'down' : 'right'} size={14} />
                      <time dateTime={event.stageTimestamp}>{formatTime(event.stageTimestamp)}</time>
                      <span className={classes.unseen}>: details</span>
                    </UnstyledButton>
                  </td>
                  <td>{userText(event)}</td>
                  <td>
                    <strong>{event.verb}</strong> {requestText(event)}
                    {isDryRunEvent(event) ? ' (dry run)' : ''}
                  </td>
                  <td>
                    <StatusBadge status={code === undefined ? 'Started' : String(code)} tone={codeTone(code)} />
                  </td>
                </tr>
                {isOpen ? (
                  <tr>
                    <td colSpan={4} className={classes.details}>
                      <div className={classes.inner}>
                        <EventDetails event={event} onNarrow={onNarrow} />
                      </div>
                    </td>
                  </tr>
                ) : null}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
