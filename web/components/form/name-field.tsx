import { TextInput } from '@mantine/core';

export interface NameFieldProps {
  readonly value: string;
  onChange(value: string): void;
  readonly error: string | undefined;
  /** The help text about allowed characters. Optional; the default is for names without dots. */
  readonly form?: string;
}

/** The field for the name of an object in a creation form. */
export function NameField({
  value,
  onChange,
  error,
  form = 'Use lowercase letters, digits and hyphens.',
}: NameFieldProps) {
  return (
    <TextInput
      label="Name"
      description={`${form} The name cannot be changed later.`}
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
