import { Group, Progress, Text } from '@mantine/core';
import { type ReactNode, useId } from 'react';

export interface QuotaBarProps {
  /** What is counted, or whose: "Virtual clusters", "alice". */
  readonly label: ReactNode;
  readonly used: number;
  /** Absent: as many as one likes. */
  readonly limit?: number | undefined;
}

/** From here on it is time to ask for more. */
const nearlyAll = 0.8;

/** How much is used of what is allowed. */
export function QuotaBar({ label, used, limit }: QuotaBarProps) {
  const id = useId();
  const part = limit === undefined ? 0 : limit === 0 ? 1 : Math.min(used / limit, 1);
  return (
    <div>
      <Group justify="space-between" gap="sm" wrap="nowrap" mb={limit === undefined ? 0 : 4}>
        <Text size="sm" component="span" id={id} truncate>
          {label}
        </Text>
        <Text size="sm" component="span" c="dimmed" style={{ flexShrink: 0, fontVariantNumeric: 'tabular-nums' }}>
          {quotaText(used, limit)}
        </Text>
      </Group>
      {limit === undefined ? null : (
        <Progress.Root size="md" radius="xl">
          <Progress.Section
            value={part * 100}
            color={part >= 1 ? 'red' : part >= nearlyAll ? 'yellow' : 'tide'}
            aria-labelledby={id}
            aria-valuetext={quotaText(used, limit)}
          />
        </Progress.Root>
      )}
    </div>
  );
}

/** "3 of 10", and where that is too many, that. */
function quotaText(used: number, limit: number | undefined): string {
  if (limit === undefined) return `${used}, no limit`;
  const rest = limit - used;
  return `${used} of ${limit}${rest > 0 ? '' : rest === 0 ? ', all used' : `, ${-rest} too many`}`;
}
