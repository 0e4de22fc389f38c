import { Group, NativeSelect, Switch } from '@mantine/core';
import { useState } from 'react';
import { CountField } from '../../components/form/count-field.tsx';
import { daySeconds } from './key-form.ts';

export interface Lifetime {
  /** The lifetime in seconds; 0 means that the key does not expire. */
  readonly ttl: number;
  readonly afterUse: boolean;
}

export interface LifetimeFieldsProps {
  readonly value: Lifetime;
  onChange(value: Lifetime): void;
  readonly error: string | undefined;
  readonly about?: string;
}

const defaultHint = 'The key stops working after this time.';

const choices = [
  { value: String(daySeconds), label: '1 day' },
  { value: String(7 * daySeconds), label: '7 days' },
  { value: String(30 * daySeconds), label: '30 days' },
  { value: String(90 * daySeconds), label: '90 days' },
  { value: String(365 * daySeconds), label: '1 year' },
  { value: '0', label: 'No expiration' },
  { value: 'other', label: 'Custom' },
];

const units = [
  { value: '60', label: 'minutes' },
  { value: '3600', label: 'hours' },
  { value: String(daySeconds), label: 'days' },
];

/** Form fields that set the lifetime of an access key. */
export function LifetimeFields({
  value: { ttl, afterUse },
  onChange,
  error,
  about = defaultHint,
}: LifetimeFieldsProps) {
  const isListed = choices.some(({ value }) => value === String(ttl));
  const [isOther, setOther] = useState(!isListed);
  const [unit, setUnit] = useState(
    () => [...units].reverse().find(({ value }) => ttl % Number(value) === 0)?.value ?? '60',
  );
  const size = Number(unit);
  return (
    <>
      <Group gap="sm" align="flex-start" wrap="wrap">
        <NativeSelect
          label="Lifetime"
          description={about}
          value={isOther ? 'other' : String(ttl)}
          data={choices}
          error={error}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            setOther(chosen === 'other');
            if (chosen !== 'other') onChange({ ttl: Number(chosen), afterUse });
            else if (ttl === 0) onChange({ ttl: 14 * size, afterUse });
          }}
          flex={1}
          miw={200}
        />
        {isOther ? (
          <Group gap="xs" align="flex-end" wrap="nowrap" pt={22}>
            <CountField
              aria-label="Duration"
              w={100}
              value={Math.max(1, Math.round(ttl / size))}
              onCount={(count = 1) => onChange({ ttl: Math.max(1, count) * size, afterUse })}
            />
            <NativeSelect
              aria-label="Unit"
              data={units}
              value={unit}
              onChange={(event) => {
                const next = event.currentTarget.value;
                onChange({ ttl: Math.max(1, Math.round(ttl / size)) * Number(next), afterUse });
                setUnit(next);
              }}
            />
          </Group>
        ) : null}
      </Group>
      {ttl === 0 ? null : (
        <Switch
          label="Renew on use"
          description="Each use restarts the lifetime, so the key expires only after it has not been used for this time."
          checked={afterUse}
          onChange={(event) => onChange({ ttl, afterUse: event.currentTarget.checked })}
        />
      )}
    </>
  );
}
