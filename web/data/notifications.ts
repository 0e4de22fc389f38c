import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import type {
  NotificationReview,
  NotificationReviewStatus,
} from '../../src/api/management/v1/notifications/notification-review.ts';
import { managementRoot } from './api-root.ts';
import { collectionUrl, kinds } from './kind-ref.ts';
import { queryClient } from './query-client.ts';
import { sendJson } from './send.ts';

type Changes = NonNullable<NotificationReview['spec']>;

/** The interval at which an open page requests the notifications again. */
const refreshMs = 30_000;

async function review(spec: Changes, signal?: AbortSignal): Promise<NotificationReviewStatus> {
  const { status } = await sendJson<NotificationReview>({
    method: 'POST',
    url: collectionUrl(managementRoot, kinds.notificationReview),
    document: { spec },
    ...(signal === undefined ? {} : { signal }),
  });
  return status ?? { unread: 0, total: 0, items: [] };
}

const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  queryFn: async ({ signal }): Promise<NotificationReviewStatus> => await review({}, signal),
  refetchInterval: refreshMs,
});

export function useNotifications() {
  return useQuery(notificationsQuery);
}

/** Marks notifications as read or dismisses them, and updates the displayed notifications. */
export function useChangeNotifications() {
  return useMutation({
    mutationFn: (changes: Changes) => review(changes),
    onSuccess: (status) => queryClient.setQueryData(notificationsQuery.queryKey, status),
  });
}
