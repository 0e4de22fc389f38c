import { TextInput, type TextInputProps } from '@mantine/core';

export interface CountFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type' | 'inputMode'> {
  readonly value: number | undefined;
  /** Called with the number; `undefined` if the field is empty. */
  onCount(value: number | undefined): void;
}

/** An input for a non-negative integer. It accepts only digits. */
export function CountField({ value, onCount, ...props }: CountFieldProps) {
  return (
    <TextInput
      {...props}
      inputMode="numeric"
      autoComplete="off"
      value={value === undefined ? '' : String(value)}
      onChange={(event) => {
        const digits = event.currentTarget.value.replaceAll(/\D/g, '').slice(0, 9);
        onCount(digits === '' ? undefined : Number(digits));
      }}
    />
  );
}
