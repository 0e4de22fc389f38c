import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import type { ObjectOf } from '../../../resource.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';

/** The maximum number of notifications in a response, and of IDs in a request. */
export const maxNotifications = 100;

const ids = (description: string) => t.optional(t.array(t.string(), { description }));

const spec = t.object(
  {
    markRead: t.optional(t.boolean({ description: 'If true, all current notifications of the caller become read.' })),
    receiveMails: t.optional(
      t.boolean({ description: 'Turns mails with notifications on (true) or off (false) for the caller.' }),
    ),
    dismiss: ids('IDs of notifications that the caller does not want to see any more.'),
  },
  { description: 'Changes to make before the notifications are returned. Optional.' },
);

const notification = t.object({
  id: t.string({ description: 'ID of the notification. It changes if the same thing happens again.' }),
  reason: t.string({
    description:
      'Failed, SleepsSoon, DeletedSoon, KeyExpires, KeyExpired or QuotaNearlyReached. More values may be added.',
  }),
  type: t.string({ description: 'Warning, or Normal if it needs no action.' }),
  message: t.string({ description: 'Human-readable description.' }),
  isRead: t.boolean({ description: 'True if the caller has read the notification.' }),
  since: t.optional(t.timestamp({ description: 'Time since which the notification applies, if it is known.' })),
  involvedObject: t.object({
    kind: t.string({ description: 'Kind of the object.' }),
    namespace: t.optional(t.string({ description: 'Namespace of the object. Absent at cluster scope.' })),
    name: t.string({ description: 'Name of the object.' }),
  }),
});

const mails = t.object(
  {
    receive: t.boolean({ description: 'True if the caller receives mails, unless `address` is absent.' }),
    address: t.optional(
      t.string({
        description:
          'Address of the mails. Absent if the caller has none that an identity provider has verified or whose domain the server trusts.',
      }),
    ),
  },
  { description: 'Mails with notifications. Absent if the server sends none or the caller is not a user.' },
);

const status = t.object(
  {
    unread: t.integer({ description: 'Number of notifications that the caller has not read.' }),
    total: t.integer({ description: 'Number of all notifications. The list contains at most 100.' }),
    items: t.array(notification, { description: 'Notifications of the caller: warnings first, then by time.' }),
    mails: t.optional(mails),
  },
  { description: 'Result of the request. Set by the server.' },
);

export type NotificationItem = Static<typeof notification>;
export type NotificationReviewStatus = Static<typeof status>;

export const notificationReviewKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'NotificationReview',
  plural: 'notificationreviews',
  singular: 'notificationreview',
  namespaced: false,
  description:
    'Notifications of the caller: failed instances, instances that are about to sleep or to be deleted, keys that expire, quotas that are nearly reached. Computed from the current state for each request.',
  schema: t.object({ spec: t.optional(spec), status: t.optional(status) }),
});

export type NotificationReview = ObjectOf<typeof notificationReviewKind>;
