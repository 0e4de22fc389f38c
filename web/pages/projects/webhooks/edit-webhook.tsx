import { useState } from 'react';
import type { ProjectWebhook } from '../../../../src/api/management/v1/notifications/project-webhook.ts';
import { FormDialog } from '../../../components/form/form-dialog.tsx';
import { notify } from '../../../components/notifications.tsx';
import { fieldProblems } from '../../../data/field-problems.ts';
import { kinds } from '../../../data/kind-ref.ts';
import { changedMembers } from '../../../data/objects/changed-members.ts';
import { patchObject } from '../../../data/objects/objects.ts';
import { placeOf } from './webhook-actions.ts';
import { WebhookFields, type WebhookForm } from './webhook-fields.tsx';

/** A dialog that edits a webhook. */
export function EditWebhook({ webhook, onClose }: { readonly webhook: ProjectWebhook; readonly onClose: () => void }) {
  const { name = '' } = webhook.metadata;
  const { displayName = '', url = '', actions = [] } = webhook.spec ?? {};
  const before: WebhookForm = { displayName, url, actions };
  const [form, setForm] = useState(before);

  async function send(): Promise<void> {
    const after = { ...form, displayName: form.displayName.trim(), url: form.url.trim() };
    await patchObject(kinds.webhook, placeOf(webhook), { spec: changedMembers(before, after) });
    notify.done(`Changed ${name}`);
  }

  return (
    <FormDialog
      title={`Edit webhook ${name}`}
      action="Save"
      canSend={form.url.trim() !== ''}
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <WebhookFields
          form={form}
          problems={fieldProblems(error)}
          autoFocus
          onChange={(change) => setForm((current) => ({ ...current, ...change }))}
        />
      )}
    </FormDialog>
  );
}
