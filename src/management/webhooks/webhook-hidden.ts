import type { JsonObject } from '@flotilla/json';

/** The hidden part of a webhook: data that the server keeps with the webhook and that no response contains. */
export type WebhookHidden = {
  /** The sealed secret. */
  secret?: string;
};

/**
 * Casts the hidden part of a record to the hidden part of a webhook. All such casts use this function. They are safe,
 * because only the hooks of the kind change the hidden part.
 */
export function webhookHiddenOf(hidden: JsonObject | undefined): WebhookHidden | undefined {
  return hidden as WebhookHidden | undefined;
}
