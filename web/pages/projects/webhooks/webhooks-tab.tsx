import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { ProjectWebhook } from '../../../../src/api/management/v1/notifications/project-webhook.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Icon } from '../../../components/icon.tsx';
import { LoadingIndicator } from '../../../components/loading-indicator.tsx';
import { Panel } from '../../../components/panel.tsx';
import { useWebhooks } from '../../../data/webhooks.ts';
import { CreateWebhook } from './create-webhook.tsx';
import { DeleteWebhook } from './delete-webhook.tsx';
import { EditWebhook } from './edit-webhook.tsx';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';
import { WebhookTable } from './webhook-table.tsx';

type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'secret'; readonly name: string; readonly secret: string }
  | { readonly dialog: 'edit' | 'delete'; readonly webhook: ProjectWebhook };

/** A tab with the webhooks of a project. */
export function WebhooksTab({ project }: { readonly project: string }) {
  const { data: webhooks, error, refetch } = useWebhooks(project);
  const [open, setOpen] = useState<Open>();
  const reload = () => void refetch();
  const close = () => {
    setOpen(undefined);
    reload();
  };

  if (webhooks === undefined) {
    if (error !== null) return <ErrorNotice error={error} onRetry={reload} />;
    return <LoadingIndicator message="Loading webhooks" />;
  }
  const add = (
    <Button size="xs" leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen({ dialog: 'create' })}>
      New webhook
    </Button>
  );
  return (
    <>
      {error === null ? null : <ErrorNotice error={error} onRetry={reload} />}
      <Panel title="Webhooks" actions={webhooks.length === 0 ? undefined : add}>
        {webhooks.length === 0 ? (
          <EmptyState
            title="No webhooks yet"
            text="A webhook sends the activity of this project to a URL, for example to a chat or a pipeline."
            action={add}
          />
        ) : (
          <>
            <WebhookTable
              project={project}
              webhooks={webhooks}
              onEdit={(webhook) => setOpen({ dialog: 'edit', webhook })}
              onDelete={(webhook) => setOpen({ dialog: 'delete', webhook })}
              onChanged={reload}
            />
            <Text size="sm" c="dimmed" mt="sm">
              Each record is sent once to each webhook, signed as Standard Webhooks. A failed delivery is tried again
              for a day.
            </Text>
          </>
        )}
      </Panel>
      {open?.dialog === 'create' ? (
        <CreateWebhook
          project={project}
          onCreated={(name, secret) => setOpen({ dialog: 'secret', name, secret })}
          onClose={close}
        />
      ) : null}
      {open?.dialog === 'secret' ? <WebhookSecretDialog name={open.name} secret={open.secret} onClose={close} /> : null}
      {open?.dialog === 'edit' ? <EditWebhook webhook={open.webhook} onClose={close} /> : null}
      {open?.dialog === 'delete' ? <DeleteWebhook webhook={open.webhook} onClose={close} /> : null}
    </>
  );
}
