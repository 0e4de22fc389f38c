import { NativeSelect } from '@mantine/core';
import { deleteAfterAnnotation, sleepAfterAnnotation } from '../../../src/api/naming.ts';
import { durationWords } from './detail/instance-facts.ts';

const hour = 3600;
const day = 24 * hour;

/** What can happen to a virtual cluster that nobody uses, by the annotation that says after how many seconds. */
const rests = {
  [sleepAfterAnnotation]: {
    label: 'Put to sleep',
    description: 'The next request wakes it.',
    presets: [hour / 2, hour, 4 * hour, day],
  },
  [deleteAfterAnnotation]: {
    label: 'Delete',
    description: 'With everything in it.',
    presets: [day, 3 * day, 7 * day, 30 * day],
  },
} as const;

export const restAnnotations = [sleepAfterAnnotation, deleteAfterAnnotation] as const;

export interface AfterSelectProps {
  readonly annotation: keyof typeof rests;
  /** As the annotation has it; '' for none. */
  readonly value: string;
  onChange(value: string): void;
}

/** After what time without a request something is to happen by itself. */
export function AfterSelect({ annotation, value, onChange }: AfterSelectProps) {
  const { label, description, presets } = rests[annotation];
  const isOther = value !== '' && !presets.map(String).includes(value);
  const words = (seconds: string) =>
    `After ${/^\d{1,10}$/.test(seconds) ? durationWords(Number(seconds)) : `${seconds} seconds`} without a request`;
  return (
    <NativeSelect
      label={label}
      description={description}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: '', label: 'Never by itself' },
        ...presets.map((seconds) => ({ value: String(seconds), label: words(String(seconds)) })),
        ...(isOther ? [{ value, label: words(value) }] : []),
      ]}
    />
  );
}
