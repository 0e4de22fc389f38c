import { CountField } from '../../components/form/count-field.tsx';

export interface LimitInputProps {
  readonly label: string;
  readonly description?: string;
  readonly value: number | undefined;
  onChange(value: number | undefined): void;
  readonly error?: string | undefined;
}

/** An input for a maximum number. An empty field means that there is no limit. */
export function LimitInput({ label, description, value, onChange, error }: LimitInputProps) {
  return (
    <CountField
      label={label}
      description={description}
      placeholder="No limit"
      value={value}
      onCount={onChange}
      error={error}
    />
  );
}
