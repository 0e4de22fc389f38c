import { CountField } from '../../components/form/count-field.tsx';

export interface LimitInputProps {
  readonly label: string;
  readonly description?: string;
  readonly value: number | undefined;
  onChange(value: number | undefined): void;
  readonly error?: string | undefined;
}

/** An input for the maximum number of something. If the input is empty, the default limit of the server applies. */
export function LimitInput({ label, description, value, onChange, error }: LimitInputProps) {
  return (
    <CountField
      label={label}
      description={description}
      placeholder="Server default"
      value={value}
      onCount={onChange}
      error={error}
    />
  );
}
