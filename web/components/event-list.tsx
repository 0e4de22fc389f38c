import { Group, Text, VisuallyHidden } from '@mantine/core';
import { useMemo } from 'react';
import { eventsOf } from '../data/object-events.ts';
import type { UsedRows } from '../data/use-rows.ts';
import { Age } from './age.tsx';
import { ErrorNotice } from './error-notice.tsx';
import classes from './event-list.module.css';
import { Waiting } from './waiting.tsx';

export interface EventListProps {
  /** Events with their objects; `eventsAbout` says which. */
  readonly rows: UsedRows;
  /** The list's name. */
  readonly label: string;
}

/** What happened to something, the latest first, as it happens. */
export function EventList({ rows, label }: EventListProps) {
  const events = useMemo(() => eventsOf(rows.rows), [rows.rows]);
  if (rows.state === 'refused') return <ErrorNotice error={rows.error} onRetry={rows.retry} />;
  if (rows.state === 'loading') return <Waiting words="Fetching the events" />;
  if (events.length === 0) {
    return (
      <Text c="dimmed" size="sm">
        Nothing happened lately. Events are kept for an hour.
      </Text>
    );
  }
  return (
    <ul className={classes.list} aria-label={label} aria-live="polite" aria-relevant="additions">
      {events.map(({ key, isWarning, reason, message, source, count, last }) => (
        <li key={key} className={classes.line}>
          <Group gap="xs" wrap="nowrap" align="baseline">
            <Text size="sm" fw={600} className={classes.reason} data-warning={isWarning}>
              {reason}
              {isWarning ? <VisuallyHidden> (a warning)</VisuallyHidden> : null}
            </Text>
            <Text size="xs" c="dimmed" ml="auto" className={classes.when}>
              {count > 1 ? `${count} times, last ` : ''}
              <Age since={last} />
            </Text>
          </Group>
          <Text size="sm" c="dimmed" className={classes.message}>
            {message}
          </Text>
          {source === '' ? null : (
            <Text size="xs" c="dimmed" className={classes.source}>
              {source}
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}
