import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { auditEvent } from './audit-event.fixture.ts';
import { monitorAuditLog } from './monitor-audit-log.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-monitor-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Opens a monitor for a log in a folder that does not exist yet, so that all writes fail. */
function open() {
  const clock = new ManualClock();
  const messages: string[] = [];
  const note = (_: object, message: string) => void messages.push(message);
  let failure: Error | undefined;
  const disk = join(folder, 'disk');
  const monitored = monitorAuditLog({
    auditLog: { write: () => (failure === undefined ? Promise.resolve() : Promise.reject(failure)), async close() {} },
    path: join(disk, 'audit.log'),
    clock,
    log: { ...silentLog, error: note, info: note },
  });
  return {
    ...monitored,
    clock,
    messages,
    disk,
    fail(error: Error | undefined) {
      failure = error;
    },
  };
}

it('an audit log is writable until an event could not be written, and nothing else is written to find out', async () => {
  const { auditLog, assertWritable, messages } = open();
  await auditLog.write(auditEvent());
  await assertWritable();
  expect(messages).toEqual([]);
});

it('a log that could not be written is writable again when the disk accepts writes, without another event', async () => {
  const { auditLog, assertWritable, messages, fail, clock, disk } = open();
  fail(new Error('ENOSPC: no space left on device'));
  for (let times = 0; times < 3; times++) await expect(auditLog.write(auditEvent())).rejects.toThrow('ENOSPC');
  await expect(assertWritable()).rejects.toThrow('ENOENT');
  await mkdir(disk);
  // The failure is still reported, because the result of the last probe is cached.
  await expect(assertWritable()).rejects.toThrow('ENOENT');
  clock.advance(1_000);
  await assertWritable();
  expect(await readdir(disk)).toEqual([]);
  expect(messages).toEqual([
    'the audit log cannot be written; requests that must be recorded are refused, reads continue',
    'the audit log can be written again',
  ]);
});
