import type { ProjectWebhook, projectWebhookKind } from '../../api/management/v1/notifications/project-webhook.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { FieldsOf } from '../../api/resource.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Semaphore } from '../../lib/queue/semaphore.ts';
import { wait } from '../../lib/wait.ts';
import { type ReconcileResult, type RunningController, startController } from '../runtime/controller.ts';
import type { ControllerObserver } from '../runtime/controller-observer.ts';
import { ignoreNotFound } from '../runtime/ignore-not-found.ts';
import type { WorkShare } from '../runtime/work-share.ts';
import type { Attempt, PendingRecord, PendingRecords, WebhookName } from './delivery.ts';
import { DeliveryStates } from './delivery-states.ts';
import { attemptStatus, type DroppedRecords, idleStatus, millisecondsUntilReport } from './webhook-status.ts';

export interface WebhookControllerOptions {
  readonly webhooks: ResourceClient<FieldsOf<typeof projectWebhookKind>>;
  readonly queue: PendingRecords;
  /**
   * Sends a record to a webhook. Rejects only if the signal is aborted. Resolves to `undefined` if the webhook no
   * longer exists.
   */
  deliver(webhook: ProjectWebhook, record: KubeObject, signal: AbortSignal): Promise<Attempt | undefined>;
  /** Called after records were removed from a queue without a delivery. `records` is their number. */
  onDropped(records: number): void;
  /** The webhooks that this process serves. Optional; defaults to all. */
  readonly share?: WorkShare | undefined;
  readonly observer?: ControllerObserver | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Interval, in milliseconds, between searches for queues that are not empty. A search also finds records that other
 * replicas have queued.
 */
const searchMilliseconds = 1_000;
/**
 * Additional time, in milliseconds, between two searches for each non-empty queue that was found. With this delay, many
 * receivers that do not respond cause little work.
 */
const searchMillisecondsPerQueue = 20;
/** The age at which the server gives up sending a record. Each record is tried at least once, however old it is. */
export const maxRecordAgeMs = 24 * 3_600_000;
/**
 * The maximum number of concurrent requests to the receivers of one project. Each webhook has at most one request at a
 * time.
 */
const requestsPerProject = 4;
/**
 * The maximum numbers of concurrent requests. `maxRequests` applies to receivers whose last delivery succeeded,
 * `maxRetries` to receivers whose last delivery failed.
 */
const [maxRequests, maxRetries] = [64, 16] as const;
/** The number of records that are sent to a webhook before records are sent to the next webhook of the project. */
const recordsPerTurn = 20;
/** The number of queued records that are read in one batch to remove them. */
const removedPerRead = 200;

/**
 * Sends activity records to webhooks. The records of a webhook are sent in order, one at a time. A record is removed
 * from the queue after its delivery, so it may be sent again after a crash. A slow or unresponsive receiver delays only
 * its own records.
 */
export function startWebhookController(options: WebhookControllerOptions): RunningController {
  const { webhooks, queue, share, observer, clock, log } = options;
  const delivery = new WebhookDelivery(options);
  return startController({
    name: 'webhooks',
    share,
    observer,
    clock,
    log,
    workers: requestsPerProject,
    laneOf: (key) => nameOf(key).namespace,
    sources: [{ resource: webhooks, keys: ({ metadata }) => [keyOf(metadata)] }],
    async otherSources(add, signal) {
      while (!signal.aborted) {
        let found = 0;
        try {
          for await (const webhook of queue.nonEmpty()) {
            if (signal.aborted) return;
            add(keyOf(webhook));
            found++;
          }
        } catch (error) {
          log.warn({ error: String(error) }, 'cannot read the webhook queues; retrying');
        }
        await wait(clock, searchMilliseconds + found * searchMillisecondsPerQueue, signal);
      }
    },
    reconcile(key, [informer], signal) {
      const name = nameOf(key);
      const webhook = informer.get(name.namespace, name.name);
      if (webhook === undefined) return delivery.forget(name);
      return delivery.reconcile(webhook, signal);
    },
  });
}

class WebhookDelivery {
  readonly #options: WebhookControllerOptions;
  readonly #states: DeliveryStates;
  readonly #requests = new Semaphore(maxRequests, Number.POSITIVE_INFINITY);
  readonly #retries = new Semaphore(maxRetries, Number.POSITIVE_INFINITY);

  constructor(options: WebhookControllerOptions) {
    this.#options = options;
    this.#states = new DeliveryStates(options.clock);
  }

  /** Removes the queue of a webhook that does not exist. */
  async forget(name: WebhookName): Promise<undefined> {
    this.#states.forget(name);
    await this.#removeWhile(name, () => true);
  }

  async reconcile(webhook: ProjectWebhook, signal: AbortSignal): Promise<ReconcileResult> {
    const name = webhookName(webhook);
    if (webhook.metadata.deletionTimestamp !== undefined) return undefined;
    const { uid } = webhook.metadata;
    if (webhook.spec?.suspend === true) return this.#reportIdle(webhook, signal);
    const waiting = this.#states.millisecondsUntilNext(webhook);
    if (waiting > 0) return { requeueAfterMilliseconds: waiting };
    // Remove records of an earlier webhook with the same name, which was deleted before its queue was removed.
    await this.#removeWhile(name, ({ webhookUid }) => webhookUid !== uid);
    return this.#deliverSome(webhook, signal);
  }

  async #deliverSome(webhook: ProjectWebhook, signal: AbortSignal): Promise<ReconcileResult> {
    const name = webhookName(webhook);
    const { queue } = this.#options;
    const pending = await queue.oldest(name, recordsPerTurn);
    let last: Attempt | undefined;
    let evicted = 0;
    for (const each of pending) {
      signal.throwIfAborted();
      const record = await queue.record(name.namespace, each);
      if (record === undefined) evicted++;
      else {
        const attempt = await this.#send(webhook, record, signal);
        if (attempt === undefined) return undefined;
        last = attempt;
        if (!attempt.delivered) break;
      }
      await queue.remove(name, [each]);
    }
    const hasFailed = last?.delivered === false;
    const expired = hasFailed ? await this.#removeExpired(name) : 0;
    const state = this.#states.update(webhook, last, evicted + expired);
    const waiting = await this.#report(webhook, { evicted, expired }, signal);
    if (hasFailed) return { requeueAfterMilliseconds: state.nextAttempt - this.#options.clock.now() };
    if (pending.length === recordsPerTurn) return { requeueAfterMilliseconds: 0 };
    return waiting === 0 ? undefined : { requeueAfterMilliseconds: waiting };
  }

  /**
   * Reports the last attempt and dropped records in the status. If the report is not due yet, returns the milliseconds
   * until it is due.
   */
  async #report(webhook: ProjectWebhook, dropped: DroppedRecords, signal: AbortSignal): Promise<number> {
    const { clock, onDropped } = this.#options;
    const state = this.#states.of(webhook);
    const droppedCount = dropped.evicted + dropped.expired;
    if (state.unreported === undefined && droppedCount === 0) {
      if (!this.#states.isNewerThan(webhook)) await this.#reportIdle(webhook, signal);
      return 0;
    }
    const waiting = millisecondsUntilReport(webhook, state, dropped, clock.now());
    if (waiting > 0) return waiting;
    await this.#patch(webhook, attemptStatus(webhook, state, dropped, clock.now()), signal);
    this.#states.reported(webhook);
    if (droppedCount > 0) onDropped(droppedCount);
    return 0;
  }

  async #send(webhook: ProjectWebhook, record: KubeObject, signal: AbortSignal): Promise<Attempt | undefined> {
    const slots = this.#states.of(webhook).failures > 0 ? this.#retries : this.#requests;
    const release = await slots.acquire(signal);
    try {
      return await this.#options.deliver(webhook, record, signal);
    } finally {
      release();
    }
  }

  #removeExpired(name: WebhookName): Promise<number> {
    const oldest = this.#options.clock.now() - maxRecordAgeMs;
    return this.#removeWhile(name, ({ time }) => time < oldest);
  }

  /** Removes records from the start of a queue as long as they match. Returns the number of removed records. */
  async #removeWhile(name: WebhookName, matches: (pending: PendingRecord) => boolean): Promise<number> {
    const { queue } = this.#options;
    for (let removed = 0; ; ) {
      const pending = await queue.oldest(name, removedPerRead);
      const end = pending.findIndex((each) => !matches(each));
      const some = end === -1 ? pending : pending.slice(0, end);
      await queue.remove(name, some);
      removed += some.length;
      if (some.length < removedPerRead) return removed;
    }
  }

  async #reportIdle(webhook: ProjectWebhook, signal: AbortSignal): Promise<undefined> {
    const status = idleStatus(webhook, this.#options.clock.now());
    if (status !== undefined) await this.#patch(webhook, status, signal);
  }

  async #patch(
    webhook: ProjectWebhook,
    status: Parameters<ResourceClient['patchStatus']>[1],
    signal: AbortSignal,
  ): Promise<void> {
    const { name, namespace } = webhookName(webhook);
    await ignoreNotFound(this.#options.webhooks.patchStatus({ name, namespace }, { status }, { signal }));
  }
}

function webhookName({ metadata: { namespace = '', name = '' } }: ProjectWebhook): WebhookName {
  return { namespace, name };
}

function keyOf({ namespace = '', name = '' }: { readonly namespace?: string; readonly name?: string }): string {
  return `${namespace}/${name}`;
}

function nameOf(key: string): WebhookName {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}
