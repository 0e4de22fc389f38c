import { Group, Text, VisuallyHidden } from '@mantine/core';
import { useMemo } from 'react';
import { readEvents } from '../../data/objects/object-events.ts';
import type { RowsWithRetry } from '../../data/rows/use-rows.ts';
import { ErrorNotice } from '../error-notice.tsx';
import { LoadingIndicator } from '../loading-indicator.tsx';
import { Age } from './age.tsx';
import classes from './event-list.module.css';

export interface EventListProps {
  /** The rows of the events, including whole objects. `eventsAbout` builds the query for these rows. */
  readonly rows: RowsWithRetry;
  /** The accessible name of the list. */
  readonly label: string;
}

/** A live list of events, newest first. */
export function EventList({ rows, label }: EventListProps) {
  const events = useMemo(() => readEvents(rows.rows), [rows.rows]);
  if (rows.state === 'refused') return <ErrorNotice error={rows.error} onRetry={rows.retry} />;
  if (rows.state === 'loading') return <LoadingIndicator message="Loading events" />;
  if (events.length === 0) {
    return (
      <Text c="dimmed" size="sm">
        No recent events. Events are kept for one hour.
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
              {isWarning ? <VisuallyHidden> (warning)</VisuallyHidden> : null}
            </Text>
            <Text size="xs" c="dimmed" ml="auto" className={classes.when}>
              {count > 1 ? `${count} times, last ` : ''}
              <Age since={last} /> ago
            </Text>
          </Group>
          <Text size="sm" c="dimmed" className={classes.message}>
            {message}
          </Text>
          {source === '' ? null : (
            <Text size="xs" c="dimmed" className={classes.source}>
              Source: {source}
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}
