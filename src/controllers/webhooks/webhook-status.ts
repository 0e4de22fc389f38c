import { equalJson, type JsonObject } from '@flotilla/json';
import { type Condition, setCondition } from '../../api/conditions.ts';
import type { ProjectWebhook } from '../../api/management/v1/notifications/project-webhook.ts';
import { timestamp } from '../../api/meta.ts';
import { type DeliveryState, timeOf } from './delivery-states.ts';

/**
 * The minimum time, in milliseconds, between two status writes if there is nothing new to report except further
 * successful deliveries.
 */
export const reportIntervalMs = 10_000;

/** The numbers of records that were removed from a queue without a delivery. */
export interface DroppedRecords {
  /** Records that the activity log had already removed, because they had expired or were evicted by newer records. */
  readonly evicted: number;
  /** Records that the server gave up sending after a day of failures. */
  readonly expired: number;
}

/** Returns the milliseconds until the last attempt is reported in the status; 0 if the report is due. */
export function millisecondsUntilReport(
  { status }: ProjectWebhook,
  { unreported }: DeliveryState,
  dropped: DroppedRecords,
  now: number,
): number {
  const isReady = status?.conditions?.some(({ type, reason }) => type === 'Ready' && reason === 'Delivered');
  const isNews = isReady !== true || unreported?.delivered !== true || dropped.evicted + dropped.expired > 0;
  return isNews ? 0 : Math.max(0, timeOf(status?.lastDeliveryTime) + reportIntervalMs - now);
}

/** Returns the status after an attempt, or after records were dropped, as a merge patch. */
export function attemptStatus(
  webhook: ProjectWebhook,
  state: DeliveryState,
  dropped: DroppedRecords,
  now: number,
): JsonObject {
  const { unreported: last, failures, nextAttempt } = state;
  return {
    ...(last === undefined
      ? {}
      : {
          lastDeliveryTime: timestamp(last.time),
          lastDeliveryCode: last.code ?? null,
          lastDeliveryMessage: last.message,
          failures: failures === 0 ? null : failures,
          nextAttemptTime: nextAttempt === 0 ? null : timestamp(nextAttempt),
          ...observed(webhook, conditionAfter(last), now),
        }),
    ...(dropped.evicted + dropped.expired === 0
      ? {}
      : { droppedRecords: state.dropped, lastDropTime: timestamp(now), lastDropMessage: describeDropped(dropped) }),
  };
}

function conditionAfter({
  delivered,
  message,
}: {
  readonly delivered: boolean;
  readonly message: string;
}): NewCondition {
  if (delivered) return { status: 'True', reason: 'Delivered', message: 'The last record was delivered.' };
  return {
    status: 'False',
    reason: 'DeliveryFailed',
    message: `The last record could not be delivered: ${message}. The server tries again; send a test event to check the receiver.`,
  };
}

function describeDropped({ evicted, expired }: DroppedRecords): string {
  const parts = [
    ...(expired === 0 ? [] : [`gave up ${recordCount(expired)} after a day of failed attempts`]),
    ...(evicted === 0
      ? []
      : [`dropped ${recordCount(evicted)} because they were removed from the activity log before delivery`]),
  ];
  return parts.join(', and ');
}

function recordCount(count: number): string {
  return count === 1 ? '1 record' : `${count} records`;
}

type NewCondition = Pick<Condition, 'status' | 'reason' | 'message'>;

/** Returns the status of a webhook that has nothing to send, as a merge patch; `undefined` if it is current. */
export function idleStatus(webhook: ProjectWebhook, now: number): JsonObject | undefined {
  const { metadata, spec, status } = webhook;
  const before = status?.conditions?.find(({ type }) => type === 'Ready');
  const isObserved = status?.observedGeneration === (metadata.generation ?? 0);
  if (isObserved && before?.status !== 'Unknown') return undefined;
  const next = observed(webhook, idleCondition(spec?.suspend === true, before), now);
  const isCurrent = isObserved && equalJson([...next.conditions], [...(status?.conditions ?? [])]);
  return isCurrent ? undefined : { ...next, ...(before?.reason === 'DeliveryFailed' ? { nextAttemptTime: null } : {}) };
}

function idleCondition(isSuspended: boolean, before: Condition | undefined): NewCondition {
  if (isSuspended)
    return { status: 'True', reason: 'Suspended', message: 'The webhook is suspended; nothing is sent.' };
  if (before?.status === 'True' && before.reason === 'Delivered') {
    return { status: 'True', reason: 'Delivered', message: before.message ?? '' };
  }
  return {
    status: 'True',
    reason: 'NothingSent',
    message: 'Nothing was sent since the webhook was created or changed.',
  };
}

function observed(
  { metadata, status }: ProjectWebhook,
  condition: NewCondition,
  now: number,
): { observedGeneration: number; conditions: Condition[] } {
  const observedGeneration = metadata.generation ?? 0;
  const conditions = setCondition(
    [...(status?.conditions ?? [])],
    { type: 'Ready', ...condition, observedGeneration },
    now,
  );
  return { observedGeneration, conditions };
}
