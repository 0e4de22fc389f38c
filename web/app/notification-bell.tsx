import { ActionIcon, Popover, Switch, Text, Title, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type {
  NotificationItem,
  NotificationReviewStatus,
} from '../../src/api/management/v1/notifications/notification-review.ts';
import { projectOfNamespace } from '../../src/api/naming.ts';
import { Icon } from '../components/icon.tsx';
import { Age } from '../components/object/age.tsx';
import { pluralize } from '../data/format-text.ts';
import { kinds } from '../data/kind-ref.ts';
import { useChangeNotifications, useNotifications } from '../data/notifications.ts';
import classes from './notification-bell.module.css';

/** The button in the header that shows the user's notifications. Opening the list marks all notifications as read. */
export function NotificationBell() {
  const [isOpen, { open, close }] = useDisclosure(false);
  const title = useRef<HTMLHeadingElement>(null);
  const { data } = useNotifications();
  const { mutate: change } = useChangeNotifications();
  const unread = data?.unread ?? 0;
  const label = unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`;
  return (
    <Popover opened={isOpen} onChange={close} position="bottom-end" width="min(24rem, 92vw)" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          pos="relative"
          aria-label={label}
          onClick={() => {
            if (isOpen) {
              close();
              return;
            }
            open();
            if (unread > 0) change({ markRead: true });
          }}
        >
          <Icon name="bell" />
          {unread === 0 ? null : (
            <span className={classes.count} aria-hidden="true">
              {unread > 99 ? '99+' : unread}
            </span>
          )}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Title order={2} size="h5" mb="xs" ref={title} tabIndex={-1}>
          Notifications
        </Title>
        <Notifications
          items={data?.items ?? []}
          total={data?.total ?? 0}
          onDismiss={(id) => {
            change({ dismiss: [id] });
            // Focuses the title, because the focused button disappears. Escape closes the list only if the focus is
            // inside the list.
            title.current?.focus();
          }}
          onFollow={close}
        />
        {data?.mails === undefined ? null : (
          <MailSwitch mails={data.mails} onChange={(receiveMails) => change({ receiveMails })} />
        )}
      </Popover.Dropdown>
      <VisuallyHidden role="status">
        {unread === 0 ? '' : pluralize(unread, 'unread notification', 'unread notifications')}
      </VisuallyHidden>
    </Popover>
  );
}

interface MailSwitchProps {
  readonly mails: NonNullable<NotificationReviewStatus['mails']>;
  onChange(receive: boolean): void;
}

function MailSwitch({ mails: { receive, address }, onChange }: MailSwitchProps) {
  const hint =
    address === undefined
      ? 'You have no verified email address. An administrator or your identity provider can set one.'
      : `They are sent to ${address}.`;
  return (
    <Switch
      className={classes.mails ?? ''}
      label="Send me mails"
      description={hint}
      disabled={address === undefined}
      checked={receive && address !== undefined}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

interface NotificationsProps {
  readonly items: readonly NotificationItem[];
  readonly total: number;
  onDismiss(id: string): void;
  onFollow(): void;
}

function Notifications({ items, total, onDismiss, onFollow }: NotificationsProps) {
  if (items.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing needs your attention.
      </Text>
    );
  }
  return (
    <>
      <ul className={classes.list} aria-label="Notifications">
        {items.map((item) => (
          <li key={item.id} className={classes.item} data-warning={item.type === 'Warning'}>
            <Icon name={item.type === 'Warning' ? 'warning' : 'clock'} />
            <div className={classes.message}>
              <ItemLink item={item} onFollow={onFollow} />
              {item.since === undefined ? null : (
                <Text size="xs">
                  <Age since={item.since} /> ago
                </Text>
              )}
            </div>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={`Dismiss: ${item.message}`}
              onClick={() => onDismiss(item.id)}
            >
              <Icon name="close" size={14} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {total <= items.length ? null : (
        <Text size="sm" c="dimmed" mt="xs">
          And {pluralize(total - items.length, 'more', 'more')}.
        </Text>
      )}
    </>
  );
}

/** The message of a notification, as a link to the page of its object. */
function ItemLink({ item, onFollow }: { readonly item: NotificationItem; onFollow(): void }) {
  const { kind, namespace = '', name } = item.involvedObject;
  const project = projectOfNamespace(namespace) ?? '';
  if (kind === kinds.instance.kind) {
    return (
      <Link to="/virtual-clusters/$project/$name" params={{ project, name }} onClick={onFollow}>
        {item.message}
      </Link>
    );
  }
  if (kind === kinds.space.kind) {
    return (
      <Link to="/spaces/$project/$name" params={{ project, name }} onClick={onFollow}>
        {item.message}
      </Link>
    );
  }
  if (kind === kinds.project.kind) {
    return (
      <Link to="/projects/$project" params={{ project: name }} search={{ tab: 'quotas' }} onClick={onFollow}>
        {item.message}
      </Link>
    );
  }
  return (
    <Link to="/keys/named/$key" params={{ key: name }} onClick={onFollow}>
      {item.message}
    </Link>
  );
}
