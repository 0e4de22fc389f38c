import { TextInput } from '@mantine/core';

export interface NameFieldProps {
  readonly value: string;
  onChange(value: string): void;
  readonly error: string | undefined;
  /** Describes the allowed characters. */
  readonly form?: string;
}

/** The name field of a creation form. */
export function NameField({ value, onChange, error, form = 'Lowercase letters, digits and hyphens.' }: NameFieldProps) {
  return (
    <TextInput
      label="Name"
      description={`${form} Cannot be changed later.`}
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
