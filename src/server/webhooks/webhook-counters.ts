import type { LabelledGauge } from '../../http/metrics/server-gauges.ts';

/** Counts the deliveries of the webhooks of projects since the start of the server. */
export class WebhookCounters {
  readonly #counts = { delivered: 0, failed: 0, dropped: 0 };

  attempted({ delivered }: { readonly delivered: boolean }): void {
    this.#counts[delivered ? 'delivered' : 'failed']++;
  }

  dropped(records: number): void {
    this.#counts.dropped += records;
  }

  gauge(): LabelledGauge {
    return {
      name: 'flotilla_webhook_deliveries_total',
      help: 'Number of attempts to send a record to a webhook by result (delivered, failed), and of records that were given up (dropped).',
      label: 'result',
      values: () => Object.entries(this.#counts),
    };
  }
}
