import { Text } from '@mantine/core';
import { formatDuration } from '../../../src/api/table.ts';
import { formatTime } from '../../data/format-time.ts';
import { useNow } from './age.tsx';

/** A remaining time shorter than this is shown in bold. */
const soon = 7 * 86_400_000;

/** The remaining time until `end` (milliseconds since the epoch). The tooltip shows the timestamp. */
export function TimeUntil({ end }: { readonly end: number | undefined }) {
  const now = useNow();
  if (end === undefined) {
    return (
      <Text span inherit c="dimmed">
        Never
      </Text>
    );
  }
  const time = new Date(end);
  return (
    <time
      dateTime={time.toISOString()}
      title={formatTime(end)}
      style={end - now < soon && end > now ? { fontWeight: 600 } : undefined}
    >
      {end <= now ? `${formatDuration(now - end)} ago` : `in ${formatDuration(end - now)}`}
    </time>
  );
}
