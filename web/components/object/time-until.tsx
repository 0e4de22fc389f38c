import { Text } from '@mantine/core';
import { formatDuration } from '../../../src/api/table.ts';
import { useNow } from './age.tsx';

/** Times within this period are emphasized. */
const soon = 7 * 86_400_000;

/** The time until `end`, in milliseconds since the epoch; the tooltip shows the timestamp. */
export function TimeUntil({ end }: { readonly end: number | undefined }) {
  const now = useNow();
  if (end === undefined) {
    return (
      <Text span inherit c="dimmed">
        never
      </Text>
    );
  }
  const time = new Date(end);
  return (
    <time
      dateTime={time.toISOString()}
      title={time.toLocaleString()}
      style={end - now < soon && end > now ? { fontWeight: 600 } : undefined}
    >
      {end <= now ? `${formatDuration(now - end)} ago` : `in ${formatDuration(end - now)}`}
    </time>
  );
}
