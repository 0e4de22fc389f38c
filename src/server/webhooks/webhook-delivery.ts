import type { ProjectWebhook } from '../../api/management/v1/notifications/project-webhook.ts';
import type { WebhookControllerOptions } from '../../controllers/webhooks/webhook-controller.ts';
import type { ManagementState } from '../../management/state.ts';
import { webhookSecretOf } from '../../management/webhooks/project-webhooks.ts';
import type { WebhookSender } from '../../management/webhooks/webhook-sender.ts';
import type { Tenure } from '../../replicas/tenure.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Store } from '../../store/store.ts';
import type { WebhookCounters } from './webhook-counters.ts';
import { openWebhookQueue } from './webhook-queue-rows.ts';

export interface WebhookDeliveryOptions {
  readonly store: Pick<Store, 'get' | 'list' | 'transact'>;
  readonly state: Pick<ManagementState, 'webhookHidden'>;
  readonly sealer: Sealer;
  readonly webhookSender: WebhookSender;
  /** Counts the deliveries, for metrics. */
  readonly webhookCounters: WebhookCounters;
  /** The period in which the controllers run. */
  readonly tenure: Tenure;
}

/** Returns the functions with which the controller of webhooks reads the queues and sends records. */
export function webhookDelivery(
  options: WebhookDeliveryOptions,
): Pick<WebhookControllerOptions, 'queue' | 'deliver' | 'onDropped'> {
  const { store, tenure, webhookSender, webhookCounters } = options;
  return {
    queue: openWebhookQueue({ store, fence: tenure.fence }),
    async deliver({ metadata: { namespace = '', name = '' }, spec }: ProjectWebhook, record, signal) {
      const secret = webhookSecretOf(namespace, name, options);
      // The webhook was deleted a moment ago.
      if (secret === undefined) return undefined;
      // Ensures that no other replica already sends records to this webhook.
      tenure.assertCurrent();
      const result = await webhookSender.send({ url: spec?.url ?? '', secret, record, signal });
      webhookCounters.attempted(result);
      return result;
    },
    onDropped: (records) => webhookCounters.dropped(records),
  };
}
