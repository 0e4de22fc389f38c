import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { WebhookReceiver } from '../../server/webhooks/webhook-receiver.fixture.ts';
import type { ManagementSettings } from '../settings.ts';
import { generateWebhookSecret, isWebhookSecret } from './webhook-secret.ts';
import { createWebhookSender, type WebhookSenderOptions } from './webhook-sender.ts';

const receivers: WebhookReceiver[] = [];
afterEach(() => {
  for (const each of receivers.splice(0)) each.close();
});

async function receiver(): Promise<WebhookReceiver> {
  const started = await WebhookReceiver.start();
  receivers.push(started);
  return started;
}

const record = { apiVersion: 'v1', kind: 'ActivityRecord', metadata: { name: 'one' } };
const local: ManagementSettings['webhooks'] = { addresses: ['127.0.0.0/8'], allowPlainHttp: true };

function send(url: string, options: Partial<WebhookSenderOptions> = {}, signal = new AbortController().signal) {
  const sender = createWebhookSender({ settings: local, clock: systemClock, ...options });
  return sender.send({ url, secret: generateWebhookSecret(), record, signal });
}

describe('the sender of webhooks', () => {
  it('connects only to addresses that were checked, even if the name resolves to another one later', async () => {
    const at = await receiver();
    const { port } = new URL(at.url);
    const answers = [['10.0.0.1'], ['127.0.0.1'], ['10.0.0.1']];
    let lookups = 0;
    const resolve = async () => answers[lookups++] ?? [];
    const url = `http://rebinding.example:${port}/`;
    const options = { resolve };
    const sender = createWebhookSender({ settings: local, clock: systemClock, ...options });
    const message = { url, secret: generateWebhookSecret(), record, signal: new AbortController().signal };
    const refused = await sender.send(message);
    expect(refused).toMatchObject({ delivered: false, message: expect.stringContaining('webhooks.addresses') });
    expect(refused.code).toBeUndefined();
    expect(await sender.send(message)).toMatchObject({ delivered: true, code: 204 });
    expect((await sender.send(message)).delivered).toBe(false);
    expect(lookups).toBe(3);
    expect(at.received.map(({ headers }) => headers.host)).toEqual([`rebinding.example:${port}`]);
  });

  it('refuses all addresses that are not public by default', async () => {
    const settings = { addresses: ['public'], allowPlainHttp: true };
    for (const address of [
      '127.0.0.1',
      '10.0.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '::1',
      'fd00::1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
    ]) {
      const result = await send('http://name.example/', { settings, resolve: async () => [address] });
      expect(result, address).toMatchObject({
        delivered: false,
        message: expect.stringContaining('webhooks.addresses'),
      });
      const host = address.includes(':') ? `[${address}]` : address;
      const sender = createWebhookSender({ settings, clock: systemClock });
      expect(() => sender.check(`https://${host}/`), address).toThrow('webhooks.addresses');
    }
  });

  it('says the same about a name that does not exist', async () => {
    const unknown = await send('http://unknown.example/', { resolve: async () => [] });
    const denied = await send('http://internal.example/', { resolve: async () => ['10.0.0.1'] });
    expect(unknown.message).toBe(denied.message);
  });

  it('waits for a response for a limited time, and not for its body', async () => {
    const at = await receiver();
    at.answer = () => {};
    const result = await send(at.url, { timeoutMilliseconds: 100 });
    expect(result).toMatchObject({ delivered: false, message: 'no response within 0.1 seconds' });
    at.answer = (_message, response) => void response.writeHead(200).write('never ends');
    expect(await send(at.url)).toMatchObject({ delivered: true, code: 200 });
  });

  it('describes failures without anything that the receiver has sent', async () => {
    const at = await receiver();
    const { url } = at;
    at.answer = (_message, response) => void response.writeHead(418, 'canary').end('canary');
    expect((await send(url)).message).toBe("the receiver responded with 418 I'm a Teapot");
    expect((await send(url.replace('http:', 'https:'))).message).toBe('the receiver does not speak TLS');
    at.close();
    expect((await send(url)).message).toBe('the receiver refused the connection');
  });

  it('rejects when it is aborted', async () => {
    const at = await receiver();
    const stopping = new AbortController();
    at.answer = () => stopping.abort(new Error('stopped'));
    await expect(send(at.url, {}, stopping.signal)).rejects.toThrow('stopped');
  });
});

it('secrets are 24 to 64 bytes in base64', () => {
  const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 255).toString('base64')}`;
  expect([23, 24, 33, 64, 65].map((bytes) => isWebhookSecret(of(bytes)))).toEqual([false, true, true, true, false]);
  expect(isWebhookSecret(generateWebhookSecret())).toBe(true);
  expect(isWebhookSecret(of(24).replace('whsec_', 'secret'))).toBe(false);
  expect(isWebhookSecret(`${of(24)} `)).toBe(false);
});
