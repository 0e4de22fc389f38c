import { Text } from '@mantine/core';
import type { ProjectWebhook } from '../../../../src/api/management/v1/notifications/project-webhook.ts';
import { Confirm } from '../../../components/form/confirm.tsx';
import { notify } from '../../../components/notifications.tsx';
import { kinds } from '../../../data/kind-ref.ts';
import { deleteObject } from '../../../data/objects/objects.ts';
import { placeOf } from './webhook-actions.ts';

/** A dialog that deletes a webhook. */
export function DeleteWebhook({
  webhook,
  onClose,
}: {
  readonly webhook: ProjectWebhook;
  readonly onClose: () => void;
}) {
  const { name = '', uid } = webhook.metadata;
  return (
    <Confirm
      title={`Delete webhook ${name}?`}
      action={`Delete ${name}`}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteObject(kinds.webhook, placeOf(webhook), { uid });
        notify.done(`Deleted ${name}`);
      }}
    >
      <Text size="sm">
        Records that wait for their delivery are not sent. A new webhook with the same name gets another secret.
      </Text>
    </Confirm>
  );
}
