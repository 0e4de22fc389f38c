import { Group, Progress, Text } from '@mantine/core';
import { type ReactNode, useId } from 'react';

export interface QuotaBarProps {
  /** The name of the resource or the owner, for example "Virtual clusters" or "alice". */
  readonly label: ReactNode;
  /** The used amount; `undefined` if the user may not see it. */
  readonly used: number | undefined;
  /** The maximum; `undefined` if no quota is set. */
  readonly limit?: number | undefined;
  /** The counted resource in the plural, if the label does not name it: "virtual clusters". */
  readonly what?: string;
}

/** The bar turns yellow at this share of the limit. */
const warnAt = 0.8;

/** A bar that shows how much of a quota is used. */
export function QuotaBar({ label, used, limit, what = '' }: QuotaBarProps) {
  const id = useId();
  const text = quotaText(used, limit, what);
  const part = limit === undefined || used === undefined ? 0 : limit === 0 ? 1 : Math.min(used / limit, 1);
  return (
    <div>
      <Group justify="space-between" gap="sm" wrap="nowrap" mb={limit === undefined ? 0 : 4}>
        <Text size="sm" component="span" id={id} truncate>
          {label}
        </Text>
        <Text size="sm" component="span" c="dimmed" style={{ flexShrink: 0, fontVariantNumeric: 'tabular-nums' }}>
          {text}
        </Text>
      </Group>
      {limit === undefined || used === undefined ? null : (
        <Progress.Root size="md" radius="xl">
          <Progress.Section
            value={part * 100}
            color={part >= 1 ? 'red' : part >= warnAt ? 'yellow' : 'tide'}
            aria-labelledby={id}
            aria-valuetext={text}
          />
        </Progress.Root>
      )}
    </div>
  );
}

/** Returns the usage as text: "3 of 10" or "3 of 10 virtual clusters", with a note if the limit is reached or exceeded. */
function quotaText(used: number | undefined, limit: number | undefined, what: string): string {
  const noun = what === '' ? '' : ` ${what}`;
  if (used === undefined) return `Not visible to you${limit === undefined ? '' : `, at most ${limit}${noun}`}`;
  if (limit === undefined) return `${used}${noun}, no quota`;
  const rest = limit - used;
  return `${used} of ${limit}${noun}${rest > 0 ? '' : rest === 0 ? ', limit reached' : `, ${-rest} over the limit`}`;
}
