import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AuditEvent } from '../../api/audit/audit-event.ts';
import { auditEvent } from '../../audit/audit-event.fixture.ts';
import type { ForwardSettings } from '../../audit/forward/forward-settings.ts';
import { syslogTarget } from '../../audit/forward/syslog-target.ts';
import { webhookTarget } from '../../audit/forward/webhook-target.ts';
import { type ChainedAuditLog, openAuditLog } from '../../audit/open-audit-log.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { type CertificatePair, createAuthority } from '../../process/certificates.ts';
import { createServingCertificate } from '../../process/make-certificate.ts';
import { type ReceivedRequest, type Receiver, startSyslog, startWebhook } from './forward-receivers.fixture.ts';
import { Forwarders } from './forwarders.ts';

let authority: CertificatePair;
let pair: CertificatePair;
let directory: string;
let closing: (() => Promise<void>)[];

beforeAll(async () => {
  authority = await createAuthority(systemClock);
  pair = await createServingCertificate(authority, ['127.0.0.1', 'localhost'], systemClock.now(), 3_600_000);
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'forward-'));
  closing = [];
  await writeFile(join(directory, 'ca.crt'), authority.cert);
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  await rm(directory, { recursive: true });
});

/** A clock that shortens all waits, so that a test does not wait for the backoff. */
const hurried: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(Math.min(ms, 5), callback) };

function webhook(port: number, changes: Partial<ForwardSettings> = {}): ForwardSettings {
  const url = `https://127.0.0.1:${port}/audit`;
  return {
    name: 'siem',
    type: 'webhook',
    url,
    format: 'jsonl',
    auth: 'none',
    caFile: join(directory, 'ca.crt'),
    ...changes,
  };
}

const syslog = (port: number): ForwardSettings => ({
  ...webhook(port),
  type: 'syslog',
  url: `tls://localhost:${port}`,
});

interface Opened {
  readonly log: ChainedAuditLog;
  readonly forwarders: Forwarders;
  close(): Promise<void>;
}

async function open(
  target: ForwardSettings,
  { maxBytes = 1_000_000, keptFiles = 5, maxHeldFiles = 10 } = {},
): Promise<Opened> {
  const path = join(directory, 'audit.log');
  const forwarders = new Forwarders({
    targets: [target],
    location: { path, keptFiles: keptFiles + maxHeldFiles },
    keptFiles,
    maxHeldFiles,
    positionsPath: join(directory, 'positions.json'),
    clock: hurried,
    log: silentLog,
  });
  const held = { count: () => forwarders.heldFiles(), most: maxHeldFiles };
  const log = await openAuditLog({ path, maxBytes, keptFiles, held });
  await forwarders.start(() => log.head);
  const close = async () => {
    await forwarders.close();
    await log.close();
  };
  closing.push(close);
  return { log, forwarders, close };
}

async function write(log: ChainedAuditLog, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index++) await log.write(auditEvent({ auditID: `a-${index}` }));
}

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `a-${from + index}`);
const idsIn = (body: string) =>
  body
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as AuditEvent).auditID);

/** Starts a webhook that records the IDs of confirmed lines. The status can be changed. */
async function recordingWebhook(port = 0) {
  const state = { status: 200 as number | undefined, received: [] as string[], requests: [] as ReceivedRequest[] };
  const receiver: Receiver = await startWebhook(pair, port, (request) => {
    state.requests.push(request);
    if (state.status === 200) state.received.push(...idsIn(request.body));
    return state.status;
  });
  closing.push(() => receiver.close());
  return { state, receiver };
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 10 });

describe('a forwarder to a webhook', () => {
  it('sends all lines in order, across rotated files', async () => {
    const { state, receiver } = await recordingWebhook();
    const { log, forwarders } = await open(webhook(receiver.port), { maxBytes: 4_000 });
    await write(log, 0, 40);
    await eventually(() => expect(state.received).toEqual(ids(0, 40)));
    await eventually(() => expect(forwarders.states()).toMatchObject([{ lagLines: 0, lagSeconds: 0, lostLines: 0 }]));
    expect(state.requests[0]?.headers['content-type']).toBe('application/x-ndjson');
  });

  it('loses nothing while the target fails, is down, and the process restarts', async () => {
    const { state, receiver } = await recordingWebhook();
    const { port } = receiver;
    const first = await open(webhook(port), { maxBytes: 4_000 });
    await write(first.log, 0, 5);
    await eventually(() => expect(state.received).toEqual(ids(0, 5)));
    state.status = 500;
    await write(first.log, 5, 10);
    await eventually(() => expect(first.forwarders.states()[0]?.failures).toBeGreaterThan(1));
    expect(first.forwarders.states()).toMatchObject([{ lagLines: 5, error: 'the target responded with 500' }]);
    await receiver.close();
    await eventually(() => expect(first.forwarders.states()[0]?.error).toBe('the connection failed (ECONNREFUSED)'));
    await write(first.log, 10, 15);
    await first.close();
    const again = await recordingWebhook(port);
    const second = await open(webhook(port), { maxBytes: 4_000 });
    await write(second.log, 15, 20);
    await eventually(() => expect(again.state.received).toEqual(ids(5, 20)));
    await second.close();
  });

  it('keeps files that were not sent, up to the limit, and removes them afterwards', async () => {
    const { state, receiver } = await recordingWebhook();
    state.status = 503;
    const { log, forwarders } = await open(webhook(receiver.port), { maxBytes: 2_000, keptFiles: 1, maxHeldFiles: 30 });
    await write(log, 0, 40);
    const files = async () => (await readdir(directory)).filter((name) => name.startsWith('audit.log')).length;
    expect(await files()).toBeGreaterThan(5);
    await eventually(() => expect(forwarders.states()[0]?.error).toBeDefined());
    expect(() => forwarders.healthCheck().check()).toThrow(
      /^audit lines are not forwarded to siem \(40 lines: .* files are kept$/,
    );
    state.status = 200;
    await eventually(() => expect(state.received).toEqual(ids(0, 40)));
    await eventually(() => expect(forwarders.states()[0]?.lagLines).toBe(0));
    for (let index = 40; index < 60; index++) {
      await write(log, index, index + 1);
      await eventually(() => expect(forwarders.states()[0]?.lagLines).toBe(0));
    }
    expect(await files()).toBe(2);
    expect(() => forwarders.healthCheck().check()).not.toThrow();
    expect(state.received).toEqual(ids(0, 60));
    expect(forwarders.states()).toMatchObject([{ lostLines: 0 }]);
  });

  it('reports lines that were removed because the limit was reached', async () => {
    const { state, receiver } = await recordingWebhook();
    const { log, forwarders } = await open(webhook(receiver.port), { maxBytes: 2_000, keptFiles: 1, maxHeldFiles: 1 });
    await write(log, 0, 1);
    await eventually(() => expect(state.received).toEqual(ids(0, 1)));
    state.status = 500;
    await write(log, 1, 2);
    await eventually(() => expect(forwarders.states()[0]?.failures).toBeGreaterThan(0));
    await write(log, 2, 60);
    state.status = 200;
    await eventually(() => expect(state.received.at(-1)).toBe('a-59'));
    await eventually(() => expect(forwarders.states()[0]?.lostLines).toBe(60 - state.received.length));
    expect(forwarders.states()[0]?.lostLines).toBeGreaterThan(0);
  });

  it('signs the body or sends a token, and no error contains the secret', async () => {
    const secretFile = join(directory, 'secret');
    await writeFile(secretFile, 'hush-hush\n');
    const { state, receiver } = await recordingWebhook();
    const never = new AbortController().signal;
    const lines = [JSON.stringify(auditEvent({ auditID: 'x' }))];
    await webhookTarget(webhook(receiver.port, { auth: 'bearer', secretFile })).send(lines, never);
    expect(state.requests[0]?.headers.authorization).toBe('Bearer hush-hush');
    await webhookTarget(webhook(receiver.port, { auth: 'hmac', secretFile, format: 'jsonl' })).send(lines, never);
    const signature = createHmac('sha256', 'hush-hush')
      .update(state.requests[1]?.body ?? '')
      .digest('hex');
    expect(state.requests[1]?.headers['x-flotilla-signature']).toBe(`sha256=${signature}`);
    state.status = 401;
    const list = webhookTarget(webhook(receiver.port, { auth: 'bearer', secretFile, format: 'list' }));
    await expect(list.send(lines, never)).rejects.toThrow(/^the target responded with 401$/);
    expect(JSON.parse(state.requests[2]?.body ?? '')).toMatchObject({
      kind: 'AuditEventList',
      items: [{ auditID: 'x' }],
    });
    await writeFile(secretFile, 'hush\r\nhush');
    await expect(list.send(lines, never)).rejects.toThrow(/^secretFile: must contain one line/);
    await rm(secretFile);
    await expect(list.send(lines, never)).rejects.toThrow(/secret \(ENOENT\)$/);
  });

  it('gives up on a target that hangs or that has another certificate', async () => {
    const { state, receiver } = await recordingWebhook();
    const never = new AbortController().signal;
    state.status = undefined;
    await expect(webhookTarget(webhook(receiver.port), 50).send(['{}'], never)).rejects.toThrow(
      'did not respond within',
    );
    const other = await createAuthority(systemClock);
    await writeFile(join(directory, 'ca.crt'), other.cert);
    await expect(webhookTarget(webhook(receiver.port)).send(['{}'], never)).rejects.toThrow(
      /^the connection failed \(/,
    );
  });
});

/** Splits bytes into messages. Each message is preceded by its length. */
function messagesIn(bytes: Buffer): string[] {
  const messages: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(' ', at);
    const length = Number(bytes.toString('latin1', at, space));
    messages.push(bytes.toString('utf8', space + 1, space + 1 + length));
    at = space + 1 + length;
  }
  return messages;
}

describe('a forwarder to syslog', () => {
  it('sends messages of RFC 5424 with their lengths, also after the target was down', async () => {
    const received: string[] = [];
    const record = (bytes: Buffer) => void received.push(...messagesIn(bytes));
    const receiver = await startSyslog(pair, 0, record);
    const { port } = receiver;
    const { log, forwarders } = await open(syslog(port));
    await log.write(auditEvent({ auditID: 'ä', stageTimestamp: '2026-01-01T00:00:01.000000Z' }));
    await eventually(() => expect(received).toHaveLength(1));
    const [, time, json = ''] = /^<110>1 (\S+) \S+ flotilla \d+ audit - (\{.*\})$/.exec(received[0] ?? '') ?? [];
    expect(time).toBe('2026-01-01T00:00:01.000Z');
    expect(JSON.parse(json)).toMatchObject({ auditID: 'ä', chain: { seq: 1 } });
    await receiver.close();
    await write(log, 0, 3);
    await eventually(() => expect(forwarders.states()[0]?.error).toMatch(/^the connection failed/));
    const again = await startSyslog(pair, port, record);
    closing.push(() => again.close());
    await eventually(() => expect(received).toHaveLength(4));
    await eventually(() => expect(forwarders.states()[0]?.lagLines).toBe(0));
  });

  it('does not count lines as received if the target never closes the connection, or is not a syslog server', async () => {
    const hanging = await startSyslog(pair, 0, () => {}, { allowHalfOpen: true });
    closing.push(() => hanging.close());
    const never = new AbortController().signal;
    await expect(syslogTarget(syslog(hanging.port), 100).send(['{}'], never)).rejects.toThrow('did not confirm within');
    const { receiver } = await recordingWebhook();
    await expect(syslogTarget(syslog(receiver.port)).send(['{}'], never)).rejects.toThrow('is not a syslog server');
  });
});
