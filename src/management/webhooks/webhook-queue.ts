import type { ProjectWebhook } from '../../api/management/v1/notifications/project-webhook.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { StoredResource } from '../../registry/resource.ts';
import type { StoredActivity } from '../activity/activity-log.ts';

/**
 * The maximum number of webhooks in a project. Each webhook adds a row to the transactions that write a record, and
 * transactions have a maximum size.
 */
export const maxProjectWebhooks = 10;

/** A webhook, by name. */
export interface WebhookKey {
  readonly namespace: string;
  readonly name: string;
}

/** A record that waits for its delivery to one webhook. */
export interface QueuedRecord {
  /** The sort key of the record in the queue. Keys sort from the oldest record to the newest. */
  readonly position: string;
  /** The time of the record in milliseconds since the epoch. */
  readonly time: number;
  /** The UID of the webhook. A later webhook with the same name has another UID. */
  readonly webhookUid: string;
}

/** The stored queues of the records that wait for their delivery, one per webhook. */
export interface WebhookQueue {
  /**
   * Returns the writes that add a record to the queue of a webhook. They are part of the transaction that stores the
   * record.
   */
  writesOf(webhook: ProjectWebhook, recordName: string): ReturnType<NonNullable<StoredResource['writtenAlongside']>>;
  /** Returns the oldest records of a queue. */
  oldest(webhook: WebhookKey, limit: number): Promise<readonly QueuedRecord[]>;
  /** Returns a record; `undefined` if it was removed in the meantime because it was expired or evicted. */
  record(namespace: string, queued: QueuedRecord): Promise<KubeObject | undefined>;
  /** Removes records from a queue. */
  remove(webhook: WebhookKey, queued: readonly QueuedRecord[]): Promise<void>;
  /** Returns the webhooks whose queue is not empty, including webhooks that no longer exist. */
  nonEmpty(): AsyncIterable<WebhookKey>;
}

/** True if a record that is being written must be added to the queue of a webhook. */
export function selectsRecord({ metadata, spec }: ProjectWebhook, { action, involvedObject }: StoredActivity): boolean {
  if (spec?.suspend === true || metadata.deletionTimestamp !== undefined) return false;
  // When a webhook is deleted, its queue is removed, so the record of this deletion is not queued for it.
  if (action === 'Deleted' && involvedObject.uid === metadata.uid) return false;
  const actions: readonly string[] = spec?.actions ?? [];
  return actions.length === 0 || actions.includes(action);
}
