import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchangeFor } from '../../../test/harness/exchange.ts';
import { TestHttpServer } from '../../../test/harness/test-http-server.ts';
import type { AuditEvent } from '../../api/audit/audit-event.ts';
import { type Appender, createAppender } from '../../audit/appender.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { AuditRule } from '../../audit/audit-policy.ts';
import { openAuditLog } from '../../audit/open-audit-log.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
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
/** Makes writes of audit events fail while it is set. */
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

function stagesOf(auditId: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ auditID }) => auditID === auditId)
    .map(({ stage }) => stage);
}

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
