import type { KubeObject } from '../../api/meta.ts';
import { recordOf } from '../../management/activity/activity-records.ts';
import type { QueuedRecord, WebhookKey, WebhookQueue } from '../../management/webhooks/webhook-queue.ts';
import type { Key } from '../../store/key.ts';
import { maxTransactionWrites, type RevisionCheck, type Store } from '../../store/store.ts';
import { activityKeyIn, readActivityRow } from '../activity/activity-rows.ts';

/**
 * The slice with the queues of webhooks. Each record that waits for its delivery has an unlogged row per webhook. The
 * key of the row consists of namespace, webhook and position; its value is the UID of the webhook.
 */
export const webhookQueueSlice = 'webhook-queue';

export interface WebhookQueueOptions {
  readonly store: Pick<Store, 'get' | 'list' | 'transact'>;
  /** A check that every removal contains (`Tenure.fence`). Optional; defaults to none. */
  readonly fence?: RevisionCheck | undefined;
}

/** Opens the queues in the store. They are rows that are read when records are sent, so they use no memory. */
export function openWebhookQueue({ store, fence }: WebhookQueueOptions): WebhookQueue {
  return {
    writesOf({ metadata: { namespace = '', name = '', uid = '' } }, recordName) {
      return [{ key: keyOf({ namespace, name }, positionOf(recordName)), value: uid, unlogged: true }];
    },
    async oldest({ namespace, name }, limit) {
      const range = { slice: webhookQueueSlice, prefix: [namespace, name] };
      const { entries } = await store.list(range, { limit, skipCount: true });
      return entries.map(({ key, value }) => {
        const [, , position = ''] = key.segments;
        return { position, time: timeOf(position), webhookUid: value };
      });
    },
    async record(namespace, { position }): Promise<KubeObject | undefined> {
      const row = await store.get(activityKeyIn(namespace, namespace, recordNameOf(position)));
      return row && recordOf(readActivityRow(row.key, row.value));
    },
    async remove(webhook, queued) {
      for (let from = 0; from < queued.length; from += maxTransactionWrites) {
        const some: readonly QueuedRecord[] = queued.slice(from, from + maxTransactionWrites);
        const writes = some.map(({ position }) => ({
          key: keyOf(webhook, position),
          value: undefined,
          unlogged: true,
        }));
        await store.transact({ ...(fence === undefined ? {} : { checks: [fence] }), writes });
      }
    },
    async *nonEmpty() {
      let after: Key | undefined;
      for (;;) {
        const start = after === undefined ? {} : { after };
        const range = { slice: webhookQueueSlice, prefix: [] };
        const { entries } = await store.list(range, { limit: 1, skipCount: true, ...start });
        const [namespace, name] = entries[0]?.key.segments ?? [];
        if (namespace === undefined || name === undefined) return;
        yield { namespace, name };
        after = keyOf({ namespace, name }, afterAllPositions);
      }
    },
  };
}

/** A text that sorts after all positions, which start with a digit. */
const afterAllPositions = '~';

function keyOf({ namespace, name }: WebhookKey, position: string): Key {
  return { slice: webhookQueueSlice, segments: [namespace, name, position] };
}

/**
 * Names of records sort from the newest to the oldest. The complement of the digits sorts from the oldest to the
 * newest.
 */
const digitsOfName = /^\d+-\d+/;

function complement(text: string): string {
  return text.replace(digitsOfName, (digits) => digits.replace(/\d/g, (digit) => String(9 - Number(digit))));
}

function positionOf(recordName: string): string {
  return complement(recordName);
}

function recordNameOf(position: string): string {
  return complement(position);
}

function timeOf(position: string): number {
  return Number.parseInt(position, 10);
}
