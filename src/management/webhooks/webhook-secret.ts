import { createHmac, randomBytes } from 'node:crypto';

/** The secrets of webhooks, in the format of Standard Webhooks: this prefix, and a key of 24 to 64 bytes in base64. */
const secretPrefix = 'whsec_';
const generatedBytes = 32;
const [minBytes, maxBytes] = [24, 64];

/** Describes a valid secret for error messages. */
export const webhookSecretRule = `must be ${secretPrefix} followed by ${minBytes} to ${maxBytes} bytes in base64; leave it out to let the server generate one`;

export function generateWebhookSecret(): string {
  return `${secretPrefix}${randomBytes(generatedBytes).toString('base64')}`;
}

export function isWebhookSecret(text: string): boolean {
  const encoded = text.slice(secretPrefix.length);
  const key = keyOf(text);
  const isCanonical = key.toString('base64').replace(/=+$/, '') === encoded.replace(/={0,2}$/, '');
  return text.startsWith(secretPrefix) && isCanonical && key.length >= minBytes && key.length <= maxBytes;
}

/** A message to a receiver. If the message is sent again, it has the same `id`. */
export interface SignedMessage {
  readonly id: string;
  /**
   * Time of the attempt in seconds since the epoch. Each attempt has a new timestamp, because receivers refuse old
   * messages.
   */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns the headers with which a receiver verifies a message, as Standard Webhooks defines them. */
export function signatureHeaders(secret: string, { id, timestamp, body }: SignedMessage): Record<string, string> {
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64');
}
