import { TextInput, type TextInputProps } from '@mantine/core';

export interface CountFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type' | 'inputMode'> {
  readonly value: number | undefined;
  /** undefined: nothing stands there. */
  onCount(value: number | undefined): void;
}

/** A whole number, zero or more: nothing else can be typed. */
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
