import { Textarea, TextInput } from '@mantine/core';
import type { FieldProblems } from '../../data/field-problems.ts';
import type { DisplayFields } from '../../data/objects/display-fields.ts';

export interface DisplayFieldInputsProps {
  readonly value: DisplayFields;
  onChange(value: DisplayFields): void;
  readonly problem: FieldProblems;
  /** The help text of the description field. */
  readonly about?: string;
  readonly autoFocus?: boolean;
}

/** Inputs for the display name and the description, which nearly every kind has. */
export function DisplayFieldInputs({ value, onChange, problem, about, autoFocus = false }: DisplayFieldInputsProps) {
  const { displayName, description } = value;
  return (
    <>
      <TextInput
        label="Display name"
        description="Shown in the console instead of the name. Optional."
        value={displayName}
        onChange={(event) => onChange({ displayName: event.currentTarget.value, description })}
        error={problem('spec.displayName')}
        autoComplete="off"
        {...(autoFocus ? { 'data-autofocus': true } : {})}
      />
      <Textarea
        label="Description"
        description={about}
        value={description}
        onChange={(event) => onChange({ displayName, description: event.currentTarget.value })}
        error={problem('spec.description')}
        autosize
        minRows={2}
      />
    </>
  );
}
