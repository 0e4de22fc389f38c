import { useRef, useState } from 'react';
import type { ProjectWebhook } from '../../../../src/api/management/v1/notifications/project-webhook.ts';
import { apiVersionOf } from '../../../../src/api/meta.ts';
import { projectNamespace } from '../../../../src/api/naming.ts';
import { FormDialog } from '../../../components/form/form-dialog.tsx';
import { NameField } from '../../../components/form/name-field.tsx';
import { fieldProblems } from '../../../data/field-problems.ts';
import { kinds } from '../../../data/kind-ref.ts';
import { createObject } from '../../../data/objects/objects.ts';
import { WebhookFields, type WebhookForm } from './webhook-fields.tsx';

export interface CreateWebhookProps {
  readonly project: string;
  /** Called with the generated secret. The caller then replaces this dialog with the dialog that shows the secret. */
  onCreated(name: string, secret: string): void;
  onClose(): void;
}

/** A dialog that creates a webhook. */
export function CreateWebhook({ project, onCreated, onClose }: CreateWebhookProps) {
  const [name, setName] = useState('');
  const [form, setForm] = useState<WebhookForm>({ displayName: '', url: '', actions: [] });
  // A ref and not a state, because the dialog closes before a new state would be rendered.
  const created = useRef<string>(undefined);

  async function send(): Promise<void> {
    const { displayName, url, actions } = form;
    const webhook = await createObject<ProjectWebhook>(
      kinds.webhook,
      {
        apiVersion: apiVersionOf(kinds.webhook),
        kind: kinds.webhook.kind,
        metadata: { name },
        spec: { url: url.trim(), actions, ...(displayName.trim() === '' ? {} : { displayName: displayName.trim() }) },
      },
      { namespace: projectNamespace(project) },
    );
    created.current = webhook.spec?.secret ?? '';
  }

  return (
    <FormDialog
      title="New webhook"
      action="Create"
      canSend={name !== '' && form.url.trim() !== ''}
      onSend={send}
      onClose={() => (created.current === undefined ? onClose() : onCreated(name, created.current))}
    >
      {(error) => (
        <>
          <NameField value={name} onChange={setName} error={fieldProblems(error)('metadata.name')} />
          <WebhookFields
            form={form}
            problems={fieldProblems(error)}
            onChange={(change) => setForm((before) => ({ ...before, ...change }))}
          />
        </>
      )}
    </FormDialog>
  );
}
