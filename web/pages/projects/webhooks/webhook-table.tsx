import { Menu, Text } from '@mantine/core';
import type { ProjectWebhook } from '../../../../src/api/management/v1/notifications/project-webhook.ts';
import { RowMenu } from '../../../components/list/row-menu.tsx';
import { SimpleTable } from '../../../components/list/simple-table.tsx';
import { Age } from '../../../components/object/age.tsx';
import { StatusBadge } from '../../../components/object/status-badge.tsx';
import { displayNameOf } from '../../../data/objects/display-name.ts';
import { sendTest, suspendWebhook } from './webhook-actions.ts';
import { describeActions, statusOf } from './webhook-texts.ts';

export interface WebhookTableProps {
  readonly project: string;
  readonly webhooks: readonly ProjectWebhook[];
  onEdit(webhook: ProjectWebhook): void;
  onDelete(webhook: ProjectWebhook): void;
  /** Called after an action has changed a webhook. */
  onChanged(): void;
}

/** The webhooks of a project with their last delivery. */
export function WebhookTable({ project, webhooks, onEdit, onDelete, onChanged }: WebhookTableProps) {
  return (
    <SimpleTable
      label={`Webhooks of ${project}`}
      head={['Name', 'URL', 'Events', 'Status', 'Last delivery', '']}
      rows={webhooks.map((webhook) => ({
        key: webhook.metadata.uid ?? '',
        cells: [
          <Text key="name" span size="sm" fw={600}>
            {displayNameOf(webhook)}
          </Text>,
          <Text key="url" span size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
            {webhook.spec?.url}
          </Text>,
          describeActions(webhook.spec?.actions),
          <StatusBadge key="status" {...statusOf(webhook)} />,
          <LastDelivery key="last" webhook={webhook} />,
          <RowMenu key="menu" label={`Actions for ${webhook.metadata.name}`}>
            {() => (
              <>
                <Menu.Item onClick={() => void sendTest(webhook).then(onChanged)}>Send test</Menu.Item>
                <Menu.Item onClick={() => onEdit(webhook)}>Edit</Menu.Item>
                <Menu.Item onClick={() => void suspendWebhook(webhook).then(onChanged)}>
                  {webhook.spec?.suspend === true ? 'Resume' : 'Suspend'}
                </Menu.Item>
                <Menu.Item color="red" onClick={() => onDelete(webhook)}>
                  Delete
                </Menu.Item>
              </>
            )}
          </RowMenu>,
        ],
      }))}
    />
  );
}

function LastDelivery({ webhook: { status } }: { readonly webhook: ProjectWebhook }) {
  const { lastDeliveryTime, lastDeliveryMessage = '', nextAttemptTime, lastDropTime, lastDropMessage } = status ?? {};
  if (lastDeliveryTime === undefined && lastDropTime === undefined) return <span>–</span>;
  return (
    <div>
      {lastDeliveryTime === undefined ? null : (
        <Text size="sm">
          <Age since={lastDeliveryTime} /> ago: {lastDeliveryMessage}
        </Text>
      )}
      {nextAttemptTime === undefined ? null : (
        <Text size="xs" c="dimmed">
          {status?.failures ?? 0} failed attempts; the server tries again by itself
        </Text>
      )}
      {lastDropTime === undefined ? null : (
        <Text size="xs" c="dimmed">
          <Age since={lastDropTime} /> ago: {lastDropMessage}
        </Text>
      )}
    </div>
  );
}
