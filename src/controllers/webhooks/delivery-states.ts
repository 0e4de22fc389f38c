import type { ProjectWebhook } from '../../api/management/v1/notifications/project-webhook.ts';
import { backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Attempt, WebhookName } from './delivery.ts';

/**
 * The delays between attempts to send a record. Each delay is twice the previous delay, up to an hour, so there are
 * about 30 attempts within a day.
 */
const backoff = { initialMilliseconds: 5_000, maxMilliseconds: 3_600_000 };

/** An attempt to send a record, with its time. */
export interface TimedAttempt extends Attempt {
  readonly time: number;
}

export interface DeliveryState {
  readonly uid: string;
  /** The generation that the webhook had at the last attempt. */
  readonly generation: number;
  /** The number of failed attempts since the last successful attempt. */
  readonly failures: number;
  /** The time before which nothing is sent; 0 if the last attempt was successful. */
  readonly nextAttempt: number;
  /** The time of the last attempt; 0 if there was none. */
  readonly attempted: number;
  /** The number of records that were never delivered. */
  readonly dropped: number;
  /** The last attempt. Absent if the status already contains it. */
  readonly unreported?: TimedAttempt | undefined;
}

/**
 * The results of the last attempts, by webhook. The status of a webhook also contains them. However, a controller may
 * read a status from before its own last attempt. After a restart, or after another process has sent records, the
 * status is newer than this state.
 */
export class DeliveryStates {
  readonly #clock: Clock;
  readonly #states = new Map<string, DeliveryState>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(webhook: ProjectWebhook): DeliveryState {
    const { uid = '', namespace = '', name = '' } = webhook.metadata;
    const stored = stateInStatus(webhook);
    const known = this.#states.get(keyOf({ namespace, name }));
    return known === undefined || known.uid !== uid || known.attempted < stored.attempted ? stored : known;
  }

  /**
   * Returns the milliseconds until the next attempt; 0 if the next attempt is due. After a change of the webhook, the
   * next attempt is due immediately.
   */
  millisecondsUntilNext(webhook: ProjectWebhook): number {
    const { generation, nextAttempt } = this.of(webhook);
    if (generation !== (webhook.metadata.generation ?? 0)) return 0;
    // Limit the delay, because the wall clock may have been set back.
    return Math.min(Math.max(0, nextAttempt - this.#clock.now()), backoff.maxMilliseconds);
  }

  /**
   * Records the result of an attempt and the number of dropped records. `last` is `undefined` if there was no attempt.
   */
  update(webhook: ProjectWebhook, last: Attempt | undefined, dropped: number): DeliveryState {
    const before = this.of(webhook);
    const now = this.#clock.now();
    const failures = last === undefined ? before.failures : last.delivered ? 0 : before.failures + 1;
    const delay = failures === 0 ? 0 : backoffDelay(failures, backoff);
    const next: DeliveryState = {
      ...before,
      dropped: before.dropped + dropped,
      ...(last === undefined
        ? {}
        : {
            generation: webhook.metadata.generation ?? 0,
            failures,
            nextAttempt: failures === 0 ? 0 : now + delay,
            attempted: now,
            unreported: { ...last, time: now },
          }),
    };
    this.#set(webhook, next);
    return next;
  }

  reported(webhook: ProjectWebhook): void {
    this.#set(webhook, { ...this.of(webhook), unreported: undefined });
  }

  /** True if these results are newer than this webhook object, whose status does not contain the last attempt yet. */
  isNewerThan(webhook: ProjectWebhook): boolean {
    // Times in the status have no fractions of seconds, so add a second.
    return this.of(webhook).attempted >= timeOf(webhook.status?.lastDeliveryTime) + 1_000;
  }

  forget(name: WebhookName): void {
    this.#states.delete(keyOf(name));
  }

  #set({ metadata: { namespace = '', name = '' } }: ProjectWebhook, state: DeliveryState): void {
    this.#states.set(keyOf({ namespace, name }), state);
  }
}

function stateInStatus({ metadata, status }: ProjectWebhook): DeliveryState {
  return {
    uid: metadata.uid ?? '',
    generation: status?.observedGeneration ?? 0,
    failures: status?.failures ?? 0,
    nextAttempt: timeOf(status?.nextAttemptTime),
    attempted: timeOf(status?.lastDeliveryTime),
    dropped: status?.droppedRecords ?? 0,
  };
}

export function timeOf(timestamp: string | undefined): number {
  return timestamp === undefined ? 0 : Date.parse(timestamp) || 0;
}

function keyOf({ namespace, name }: WebhookName): string {
  return `${namespace}/${name}`;
}
