import { MultiSelect, TextInput } from '@mantine/core';
import type { FieldProblems } from '../../../data/field-problems.ts';
import { actionLabels, type WebhookAction } from './webhook-texts.ts';

/** The fields of a webhook that the form edits. */
export interface WebhookForm {
  readonly displayName: string;
  readonly url: string;
  readonly actions: readonly WebhookAction[];
}

export interface WebhookFieldsProps {
  readonly form: WebhookForm;
  readonly problems: FieldProblems;
  readonly autoFocus?: boolean;
  onChange(change: Partial<WebhookForm>): void;
}

const options = Object.entries(actionLabels).map(([value, label]) => ({ value, label }));

/** The inputs for the fields of a webhook. */
export function WebhookFields({ form, problems, autoFocus = false, onChange }: WebhookFieldsProps) {
  return (
    <>
      <TextInput
        label="URL"
        description="The server sends each record to this address in a POST request."
        placeholder="https://example.com/hook"
        type="url"
        value={form.url}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
        error={problems('spec.url')}
        required
        data-autofocus={autoFocus ? true : undefined}
      />
      <MultiSelect
        label="Events"
        description="Leave it empty to send everything that happens in the project."
        placeholder={form.actions.length === 0 ? 'All' : ''}
        data={options}
        value={[...form.actions]}
        onChange={(values) => onChange({ actions: values as WebhookAction[] })}
        error={problems('spec.actions')}
        clearable
      />
      <TextInput
        label="Display name"
        value={form.displayName}
        onChange={(event) => onChange({ displayName: event.currentTarget.value })}
        error={problems('spec.displayName')}
      />
    </>
  );
}
