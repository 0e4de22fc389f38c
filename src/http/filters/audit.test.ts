import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchangeFor } from '../../../test/harness/exchange.ts';
import { TestHttpServer } from '../../../test/harness/test-http-server.ts';
import { type AuditEvent, isDryRunEvent } from '../../api/audit/audit-event.ts';
import { badRequest, StatusError, type StatusReason } from '../../api/status.ts';
import { type Appender, createAppender } from '../../audit/appender.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { AuditRule } from '../../audit/audit-policy.ts';
import { openAuditLog } from '../../audit/open-audit-log.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { StoreError } from '../../store/store-error.ts';
import type { IncomingRequest } from '../exchange.ts';
import { newExchange } from '../router.ts';
import { auditFilter } from './audit.ts';

const widgets = '/apis/example.dev/v1/namespaces/a/widgets';
const bodyOf = (name: string) =>
  JSON.stringify({ apiVersion: 'example.dev/v1', kind: 'Widget', metadata: { name }, spec: { size: 1 } });

let directory: string;
let path: string;
let auditLog: AuditLog;
let server: TestHttpServer;
/** If true, writing audit events fails. */
let isFull = false;

beforeEach(async () => {
  isFull = false;
  directory = await mkdtemp(join(tmpdir(), 'audited-'));
  path = join(directory, 'audit.log');
  const quick = createAppender({ isFile: true });
  const failing = <T>(write: () => T): T => {
    if (isFull) throw new Error('ENOSPC');
    return write();
  };
  const append: Appender = {
    mayAppendSync: () => true,
    appendSync: (file, bytes) => failing(() => quick.appendSync(file, bytes)),
    appendAsync: (file, bytes) => failing(() => quick.appendAsync(file, bytes)),
  };
  auditLog = await openAuditLog({ path, append });
  server = await TestHttpServer.start({ chain: { auditLog } });
});
afterEach(async () => {
  await server.stop();
  await auditLog.close();
  await rm(directory, { recursive: true });
});

function eventsOf(auditId: string): AuditEvent[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ auditID }) => auditID === auditId);
}

const stagesOf = (auditId: string): string[] => eventsOf(auditId).map(({ stage }) => stage);

const request: IncomingRequest = {
  method: 'POST',
  url: widgets,
  headers: {},
  body: (async function* () {})(),
  remoteAddress: '127.0.0.1',
  httpVersion: '2',
  webSocket: false,
  signal: new AbortController().signal,
};

const names = Array.from({ length: 40 }, (_, index) => `widget-${index}`);

describe('an error of the store that no handler has converted', () => {
  it.each([
    { code: 'OutOfSpace', status: 507, reason: 'InsufficientStorage', message: 'the disk is full' },
    { code: 'Unavailable', status: 503, reason: 'ServiceUnavailable', message: 'the disk is full' },
    { code: 'Damaged', status: 500, reason: 'InternalError', message: /see the server log/ },
  ] as const)(
    '$code becomes the response $status, also in the audit log',
    async ({ code, status, reason, message }) => {
      server.plane.decide = () => {
        throw new StoreError(code, 'the disk is full');
      };
      const answer = await server.request('POST', widgets, { body: bodyOf('a'), headers: { 'audit-id': 'a' } });
      expect(answer).toMatchObject({ status });
      expect(JSON.parse(answer.text)).toMatchObject({ code: status, message: expect.stringMatching(message) });
      expect(eventsOf('a').at(-1)?.responseStatus).toEqual({ code: status, reason });
    },
  );
});

describe('the audit events of concurrent writes (completions §11)', () => {
  it.each([false, true])('are in the file before the execution and before the response; HTTP/2: %s', async (http2) => {
    const before = new Map<string, string[]>();
    server.plane.decide = (_identity, attributes) => {
      // The last check before the write itself.
      if (attributes.resourceRequest) before.set(attributes.namespace, stagesOf(attributes.namespace));
      return { allowed: true, reason: 'test' };
    };
    const after = await Promise.all(
      names.map(async (name) => {
        const place = `/apis/example.dev/v1/namespaces/${name}/widgets`;
        const answer = await server.request('POST', place, {
          body: bodyOf(name),
          headers: { 'audit-id': name },
          http2,
        });
        return [answer.status, stagesOf(name)];
      }),
    );
    expect(after).toEqual(names.map(() => [201, ['RequestReceived', 'ResponseComplete']]));
    expect([...before.values()]).toEqual(names.map(() => ['RequestReceived']));
  });

  it('that cannot be written prevent each write, and later writes are executed', async () => {
    isFull = true;
    const post = (name: string) =>
      server
        .request('POST', widgets, { body: bodyOf(name), headers: { 'audit-id': name } })
        .then(({ status }) => status);
    expect(await Promise.all(names.map(post))).toEqual(names.map(() => 503));
    expect(server.plane.calls).toEqual([]);
    isFull = false;
    expect(await Promise.all(names.map(post))).toEqual(names.map(() => 201));
    expect(names.map(stagesOf)).toEqual(names.map(() => ['RequestReceived', 'ResponseComplete']));
  });

  it('that cannot be written after the execution do not prevent the response', async () => {
    server.plane.decide = () => {
      isFull = true;
      return { allowed: true, reason: 'test' };
    };
    const { status } = await server.request('POST', widgets, { body: bodyOf('x'), headers: { 'audit-id': 'x' } });
    expect([status, stagesOf('x')]).toEqual([201, ['RequestReceived']]);
  });
});

describe('a slow audit event', () => {
  it.each(['RequestReceived', 'ResponseComplete'] as const)('delays the next step: %s', async (slow) => {
    const happened: string[] = [];
    let written = (): void => {};
    const held: AuditLog = {
      write({ stage }) {
        happened.push(stage);
        return stage === slow ? new Promise((resolve) => (written = resolve)) : Promise.resolve();
      },
      close: () => Promise.resolve(),
    };
    const filter = auditFilter({ auditLog: held, clock: systemClock, log: silentLog });
    const exchange = newExchange(request, systemClock);
    const answered = filter(exchange, async () => {
      happened.push('carried out');
      return { status: 201, headers: {} };
    }).then(({ status }) => happened.push(`answered ${status}`));
    const order = ['RequestReceived', 'carried out', 'ResponseComplete', 'answered 201'];
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(happened).toEqual(order.slice(0, order.indexOf(slow) + 1));
    written();
    await answered;
    expect(happened).toEqual(order);
  });
});

describe('the mark of a dry run', () => {
  it.each([
    ['POST', widgets, true],
    ['PATCH', `${widgets}/x`, true],
    ['POST', '/api/v1/namespaces/a/pods/x/exec', false],
    ['POST', '/api/v1/namespaces/a/serviceaccounts/x/token', false],
    ['POST', '/auth/login', false],
  ])('%s %s: %s', async (method, url, isMarked) => {
    const events: AuditEvent[] = [];
    const memory: AuditLog = { write: async (event) => void events.push(event), close: async () => {} };
    const filter = auditFilter({ auditLog: memory, clock: systemClock, log: silentLog });
    await filter(exchangeFor({ method, url: `${url}?dryRun=All` }), async () => ({ status: 200, headers: {} }));
    expect(events.map(isDryRunEvent)).toEqual([isMarked, isMarked]);
  });
});

describe('the audit event of a refused request', () => {
  it('contains a limited part of the reason, which a webhook can choose', async () => {
    const events: AuditEvent[] = [];
    const memory: AuditLog = { write: async (event) => void events.push(event), close: async () => {} };
    const filter = auditFilter({ auditLog: memory, clock: systemClock, log: silentLog });
    const { status } = badRequest('no');
    const refusal = new StatusError({ ...status, reason: 'x'.repeat(4_096) as StatusReason });
    const exchange = exchangeFor({ method: 'POST', url: widgets });
    await expect(filter(exchange, () => Promise.reject(refusal))).rejects.toBe(refusal);
    expect(events.at(-1)?.responseStatus).toEqual({ code: 400, reason: 'x'.repeat(256) });
  });
});

describe('the audit level of a request that is executed elsewhere', () => {
  const noLog: AuditLog = { write: async () => {}, close: async () => {} };

  it.each<[AuditRule[] | undefined, string | undefined]>([
    [undefined, undefined],
    [[{ level: 'Request', verbs: ['patch'] }, { level: 'Metadata' }], 'Metadata'],
    [[{ level: 'Request', verbs: ['create'] }], 'Request'],
    [[{ level: 'RequestResponse', outcome: 'refused' }, { level: 'Metadata' }], 'RequestResponse'],
    [[{ level: 'Metadata', outcome: 'refused' }, { level: 'RequestResponse' }], 'RequestResponse'],
  ])('is known before the execution, with the rules %j', async (rules, level) => {
    const filter = auditFilter({ auditLog: noLog, clock: systemClock, log: silentLog, ...(rules && { rules }) });
    const exchange = exchangeFor({ method: 'POST', url: widgets });
    let known: string | undefined;
    await filter(exchange, async () => {
      known = exchange.auditLevel;
      return { status: 201, headers: {} };
    });
    expect(known).toBe(level);
  });
});
