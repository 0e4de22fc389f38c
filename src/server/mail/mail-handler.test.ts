import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mailPath } from '../../api/mail/mail-status.ts';
import { systemClock } from '../../lib/clock.ts';
import { ReplicasTestEnv } from '../replicas.fixture.ts';
import { groupPath, ServerTestEnv } from '../server.fixture.ts';
import { TestSmtpServer } from './smtp.fixture.ts';

let bench: ServerTestEnv;
let smtp: TestSmtpServer;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  smtp = await TestSmtpServer.open();
});
afterEach(async () => {
  await bench.close();
  await smtp.close();
});

const test = (to: string) => ({ method: 'POST', body: { to } }) as const;

describe('a server with a mail server', () => {
  it('shows its state to administrators, sends test mails, and counts them', async () => {
    const server = await bench.start(await bench.settings({ mail: smtp.settings() }));
    const { json } = await bench.send(server, mailPath);
    expect(json).toMatchObject({ kind: 'MailStatus', from: 'flotilla@example.com' });
    expect(textAt(json, 'server')).toMatch(/^127\.0\.0\.1:\d+$/);
    const sent = await bench.send(server, mailPath, test('admin@example.com'));
    expect(sent.code, sent.text).toBe(201);
    expect(smtp.received.map(({ to, headers }) => [to.join(), headers.get('subject')])).toEqual([
      ['admin@example.com', 'Flotilla: test mail'],
    ]);
    const metrics = (await bench.send(server, '/metrics')).text;
    expect(metrics).toContain('flotilla_mails_sent_total 1\n');
    expect(metrics).toContain('flotilla_mails_failed_total 0\n');
    const review = await bench.send(server, `${groupPath}/notificationreviews`, { method: 'POST', body: {} });
    expect(review.json.status).toMatchObject({ mails: { receive: true } });
  });

  it('refuses addresses that are not one plain address, users, and other methods', async () => {
    const server = await bench.start(await bench.settings({ mail: smtp.settings() }));
    for (const to of ['', 'anna', 'a@b.c, d@e.f', '<a@b.c>', 'a@b.c\r\nRCPT TO:<d@e.f>']) {
      expect((await bench.send(server, mailPath, test(to))).code, to).toBe(400);
    }
    await bench.createObject(server, 'users', 'anna');
    const token = await bench.createKey(server, 'of-anna', { user: 'anna' });
    for (const method of ['GET', 'POST'] as const) {
      expect((await bench.send(server, mailPath, { method, token })).code).toBe(403);
      expect((await bench.send(server, mailPath, { method, token: '' })).code).toBe(401);
    }
    expect((await bench.send(server, mailPath, { method: 'DELETE' })).code).toBe(405);
    expect(smtp.connections).toBe(0);
  });

  it('says why a test mail cannot be sent', async () => {
    const server = await bench.start(await bench.settings({ mail: smtp.settings() }));
    await smtp.stop();
    const { code, json } = await bench.send(server, mailPath, test('admin@example.com'));
    expect(code).toBe(503);
    expect(textAt(json, 'message')).toMatch(/mail server 127\.0\.0\.1:\d+ cannot be used/);
  });
});

describe('a server without a mail server', () => {
  it('says so, and has no metrics of mails and no preference', async () => {
    const server = await bench.start();
    expect((await bench.send(server, mailPath)).json).toMatchObject({ kind: 'MailStatus' });
    const { code, text } = await bench.send(server, mailPath, test('admin@example.com'));
    expect([code, text]).toEqual([503, expect.stringContaining('set mail.server')]);
    expect((await bench.send(server, '/metrics')).text).not.toContain('flotilla_mails');
    const review = await bench.send(server, `${groupPath}/notificationreviews`, { method: 'POST', body: {} });
    expect(review.json.status).not.toHaveProperty('mails');
  });
});

describe('two replicas', () => {
  it('both send test mails and show the same state', async () => {
    const flags = (each: ServerTestEnv) => each.settings({ mail: smtp.settings() });
    const env = await ReplicasTestEnv.open(systemClock, flags);
    try {
      for (const replica of [env.first, env.second]) {
        expect((await replica.send(mailPath, test('admin@example.com'))).code).toBe(201);
      }
      expect(smtp.received).toHaveLength(2);
    } finally {
      await env.close();
    }
  });
});
