import { Notification, Stack } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { errorMessage } from './error-notice.tsx';
import classes from './notifications.module.css';

interface Notice {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
}

const maxNotices = 5;
const dismissAfterMs = 6_000;

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

function dismiss(id: number): void {
  set(notices.filter((notice) => notice.id !== id));
}

function add(kind: Notice['kind'], text: string): void {
  lastId += 1;
  const id = lastId;
  set([...notices, { id, kind, text }].slice(-maxNotices));
  // Notifications about failures stay until the user dismisses them.
  if (kind === 'done') setTimeout(() => dismiss(id), dismissAfterMs);
}

/** Shows a notification in the corner of the page. Screen readers announce it. */
export const notify = {
  done: (text: string): void => add('done', text),
  failed: (what: string, error: unknown): void => add('failed', `${what}: ${errorMessage(error)}`),
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Notifications() {
  const shown = useSyncExternalStore(subscribe, () => notices);
  return (
    <div className={classes.corner} role="status" aria-live="polite">
      <Stack gap="xs">
        {shown.map(({ id, kind, text }) => (
          <Notification
            key={id}
            color={kind === 'done' ? 'teal' : 'red'}
            title={text}
            withBorder
            onClose={() => dismiss(id)}
            closeButtonProps={{ 'aria-label': 'Dismiss' }}
          />
        ))}
      </Stack>
    </div>
  );
}
