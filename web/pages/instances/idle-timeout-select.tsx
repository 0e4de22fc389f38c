import { NativeSelect } from '@mantine/core';
import { deleteAfterAnnotation, sleepAfterAnnotation } from '../../../src/api/naming.ts';
import { durationText } from './detail/instance-state.ts';

const hour = 3600;
const day = 24 * hour;

const autoSleep = {
  label: 'Auto-sleep',
  description: (noun: string) => `Puts the ${noun} to sleep if it is not used. The next request wakes it.`,
  presets: [hour / 2, hour, 4 * hour, day],
};
const autoDelete = {
  label: 'Auto-delete',
  description: (noun: string) => `Deletes the ${noun} with all its data if it is not used.`,
  presets: [day, 3 * day, 7 * day, 30 * day],
};

/** The annotations whose value is an idle time in seconds. After this time, the instance is put to sleep or deleted. */
export const idleAnnotations = [sleepAfterAnnotation, deleteAfterAnnotation] as const;

export interface IdleTimeoutSelectProps {
  readonly annotation: (typeof idleAnnotations)[number];
  /** The name of the type of the instance: "virtual cluster". */
  readonly noun: string;
  /** The value of the annotation; '' for none. */
  readonly value: string;
  /** The value from the template, which applies if `value` is ''. Optional. It may contain a template expression. */
  readonly templateValue?: string | undefined;
  onChange(value: string): void;
}

/** A select field for the idle time after which an instance is put to sleep or deleted. */
export function IdleTimeoutSelect({ annotation, noun, value, templateValue = '', onChange }: IdleTimeoutSelectProps) {
  const { label, description, presets } = annotation === sleepAfterAnnotation ? autoSleep : autoDelete;
  const isCustom = value !== '' && !presets.map(String).includes(value);
  return (
    <NativeSelect
      label={label}
      description={description(noun)}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: '', label: templateValue === '' ? 'Never' : templateLabel(templateValue) },
        ...presets.map((seconds) => ({ value: String(seconds), label: optionLabel(String(seconds)) })),
        ...(isCustom ? [{ value, label: optionLabel(value) }] : []),
      ]}
    />
  );
}

function optionLabel(seconds: string): string {
  return `After ${/^\d{1,10}$/.test(seconds) ? durationText(Number(seconds)) : `${seconds} seconds`} without use`;
}

/** Returns the label of the option that keeps the value from the template. */
function templateLabel(value: string): string {
  return /^\d{1,10}$/.test(value) ? `${optionLabel(value)} (from the template)` : 'Set by the template';
}
