import type { KubeObject } from '../../api/meta.ts';

/** A record that waits for its delivery to one webhook. */
export interface PendingRecord {
  readonly position: string;
  /** The time of the record in milliseconds since the epoch. */
  readonly time: number;
  readonly webhookUid: string;
}

export interface WebhookName {
  readonly namespace: string;
  readonly name: string;
}

/** The queues of the records that wait for their delivery, one per webhook. */
export interface PendingRecords {
  /** Returns the oldest records of a queue. */
  oldest(webhook: WebhookName, limit: number): Promise<readonly PendingRecord[]>;
  /** Returns a record; `undefined` if it was removed in the meantime because it was expired or evicted. */
  record(namespace: string, pending: PendingRecord): Promise<KubeObject | undefined>;
  remove(webhook: WebhookName, pending: readonly PendingRecord[]): Promise<void>;
  /** Returns the webhooks whose queue is not empty, including webhooks that no longer exist. */
  nonEmpty(): AsyncIterable<WebhookName>;
}

/** The result of an attempt to send a record. */
export interface Attempt {
  readonly delivered: boolean;
  readonly code?: number;
  readonly message: string;
}
