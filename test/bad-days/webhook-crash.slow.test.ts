import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textAt } from '@flotilla/json';
import { afterEach, expect, it } from 'vitest';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { WebhookReceiver } from '../../src/server/webhooks/webhook-receiver.fixture.ts';
import { adminApi } from '../console/harness/admin-api.ts';
import { startFlotilla } from '../harness/flotilla-process.ts';
import { eventually } from './eventually.ts';

const group = `/apis/${managementGroup}/v1`;
const rounds = 5;
const folder = mkdtempSync(join(tmpdir(), 'webhook-crash-'));
const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it('a webhook receives every acknowledged change, also if the server is killed right after it', async () => {
  const receiver = await WebhookReceiver.start();
  ends.push(() => receiver.close());
  const config = join(folder, 'config.yaml');
  writeFileSync(config, JSON.stringify({ webhooks: { addresses: ['127.0.0.1/32'], allowPlainHttp: true } }));
  const args = ['--config', config];
  const dataDirectory = join(folder, 'data');
  let flotilla = await startFlotilla({ dataDirectory, args });
  ends.push(() => flotilla.stop());
  let admin = adminApi(flotilla);
  await admin.request('POST', `${group}/namespaces/${projectNamespace('default')}/projectwebhooks`, {
    apiVersion: `${managementGroup}/v1`,
    kind: 'ProjectWebhook',
    metadata: { name: 'hook' },
    spec: { url: receiver.url },
  });
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round++) {
    // In half of the rounds, the server is killed while it is sending a message.
    if (round % 2 === 1) receiver.answer = () => {};
    for (const index of [0, 1, 2]) {
      const label = `round-${round}-${index}`;
      const labels = { [label]: 'yes' };
      await admin.request('PATCH', `${group}/projects/default`, { metadata: { labels } });
      const { items } = await admin.request<{ items: { metadata: { name: string } }[] }>(
        'GET',
        `${group}/namespaces/${projectNamespace('default')}/activityrecords?limit=1`,
      );
      acknowledged.push(items[0]?.metadata.name ?? '');
    }
    if (round % 2 === 1) {
      const before = receiver.received.length;
      await eventually(
        30,
        () => receiver.received.length,
        (count) => count > before,
      );
    }
    await flotilla.stop('SIGKILL');
    await admin.close();
    receiver.accept();
    flotilla = await startFlotilla({ dataDirectory, args });
    admin = adminApi(flotilla);
  }
  ends.push(() => admin.close());
  const ids = () => new Set(receiver.received.map(({ json }) => textAt(json, 'metadata', 'name')));
  await eventually(
    60,
    () => acknowledged.filter((name) => !ids().has(name)),
    (missing) => missing.length === 0,
  );
  expect(new Set(acknowledged).size).toBe(3 * rounds);
}, 300_000);
