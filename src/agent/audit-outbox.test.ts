import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAuditOutbox } from './audit-outbox.ts';

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'outbox-'));
});
afterEach(() => rm(path, { recursive: true }));

const files = async () => (await readdir(path)).filter((name) => name.endsWith('.jsonl')).sort();

describe('the audit outbox', () => {
  it('returns lines in order with their numbers until they are acknowledged', async () => {
    const outbox = await openAuditOutbox({ path });
    for (const line of ['a', 'b', 'c']) await outbox.add(line);
    expect(await outbox.peek(2)).toEqual({ first: 0, lines: ['a', 'b'] });
    await outbox.acknowledge(2);
    expect(await outbox.peek(9)).toEqual({ first: 2, lines: ['c'] });
    await outbox.acknowledge(3);
    await outbox.add('d');
    expect(await outbox.peek(9)).toEqual({ first: 3, lines: ['d'] });
    await outbox.close();
  });

  it('keeps its lines after a restart, and returns those of incompletely acknowledged files again', async () => {
    const first = await openAuditOutbox({ path, segmentBytes: 6 });
    for (const line of ['a', 'b', 'c', 'd', 'e']) await first.add(line);
    await first.acknowledge(4);
    const { id } = first;
    await first.close();
    const second = await openAuditOutbox({ path, segmentBytes: 6 });
    expect([second.id, second.end]).toEqual([id, 5]);
    expect(await second.peek(9)).toEqual({ first: 3, lines: ['d', 'e'] });
    await second.add('f');
    await second.acknowledge(6);
    expect((await second.peek(9)).lines).toEqual([]);
    expect(await files()).toHaveLength(1);
    await second.close();
  });

  it('discards a partial line after a crash', async () => {
    const first = await openAuditOutbox({ path });
    await first.add('whole');
    await first.close();
    await appendFile(join(path, (await files())[0] ?? ''), 'hal');
    const second = await openAuditOutbox({ path });
    await second.add('next');
    expect(await second.peek(9)).toEqual({ first: 0, lines: ['whole', 'next'] });
    await second.close();
  });

  it('drops and reports the oldest lines when it is full', async () => {
    let dropped = 0;
    const outbox = await openAuditOutbox({
      path,
      segmentBytes: 100,
      maxBytes: 1_000,
      onDropped(lines) {
        dropped += lines;
      },
    });
    for (let index = 0; index < 200; index++) await outbox.add(`line number ${index}`);
    const { first, lines } = await outbox.peek(1_000);
    expect([first, lines.at(-1), lines.length]).toEqual([dropped, 'line number 199', 200 - dropped]);
    expect(dropped).toBeGreaterThan(100);
    await outbox.close();
  });
});
