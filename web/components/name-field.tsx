import { TextInput } from '@mantine/core';

export interface NameFieldProps {
  readonly value: string;
  onChange(value: string): void;
  readonly error: string | undefined;
  /** What a name may be made of. */
  readonly form?: string;
}

/** The name of something new: the first field of its form. */
export function NameField({ value, onChange, error, form = 'Small letters, digits and dashes.' }: NameFieldProps) {
  return (
    <TextInput
      label="Name"
      description={`${form} It cannot be changed later.`}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      required
      data-autofocus
    />
  );
}
