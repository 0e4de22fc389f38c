import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberAt } from '@flotilla/json';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentAuditBatch } from '../api/agent/policy-feed.ts';
import { badRequest, serviceUnavailable } from '../api/status.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { openAuditOutbox } from './audit-outbox.ts';
import { uploadAuditLog } from './upload-audit-log.ts';

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'outbox-'));
});
afterEach(() => rm(path, { recursive: true }));

it('the upload sends every line once and in order, and skips a line that the server always rejects', async () => {
  const outbox = await openAuditOutbox({ path });
  for (let line = 0; line < 20; line++) await outbox.add(JSON.stringify({ line }));
  const ending = new AbortController();
  const taken: number[] = [];
  let calls = 0;
  const centre = {
    async uploadAudit({ first, lines }: AgentAuditBatch) {
      calls += 1;
      if (calls === 1) throw serviceUnavailable('away');
      const numbers = lines.map((line) => numberAt(line, 'line') ?? -1);
      if (numbers.includes(7)) throw badRequest('invalid line');
      taken.push(...numbers);
      if (numbers.includes(19)) ending.abort();
      return { next: first + lines.length };
    },
  };
  await uploadAuditLog({ outbox, server: centre, clock: systemClock, log: silentLog }, ending.signal);
  expect(taken).toEqual(Array.from({ length: 20 }, (_, line) => line).filter((line) => line !== 7));
  await outbox.close();
});

it('the upload respects the request size limit of the server', async () => {
  const outbox = await openAuditOutbox({ path });
  const text = 'x'.repeat(300_000);
  for (let line = 0; line < 10; line++) await outbox.add(JSON.stringify({ line, text }));
  const ending = new AbortController();
  const sizes: number[] = [];
  const centre = {
    async uploadAudit(batch: AgentAuditBatch) {
      sizes.push(JSON.stringify(batch).length);
      if (batch.first + batch.lines.length === 10) ending.abort();
      return { next: batch.first + batch.lines.length };
    },
  };
  await uploadAuditLog({ outbox, server: centre, clock: systemClock, log: silentLog }, ending.signal);
  expect(Math.max(...sizes)).toBeLessThan(2 * 1024 * 1024);
  expect(sizes.length).toBeGreaterThan(1);
  await outbox.close();
});
