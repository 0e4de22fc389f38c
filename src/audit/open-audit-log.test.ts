import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../api/audit/audit-event.ts';
import { openAuditLog } from './open-audit-log.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'audit-'));
  path = join(directory, 'audit.log');
});
afterEach(() => rm(directory, { recursive: true }));

function event(changes: Partial<AuditEvent> = {}): AuditEvent {
  return {
    level: 'Metadata',
    auditID: 'id',
    stage: 'ResponseComplete',
    verb: 'create',
    requestURI: '/x',
    sourceIPs: ['127.0.0.1'],
    userAgent: 'kubectl',
    requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
    stageTimestamp: '2026-01-01T00:00:00.000000Z',
    ...changes,
  };
}

async function lines(file: string): Promise<AuditEvent[]> {
  const text = await readFile(file, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEvent);
}

describe('openAuditLog', () => {
  it('writes a JSON line an event, in order, in a file of mode 0600', async () => {
    const log = await openAuditLog({ path });
    await Promise.all(Array.from({ length: 500 }, (_, index) => log.write(event({ auditID: `${index}` }))));
    await log.close();
    expect((await lines(path)).map((line) => line.auditID)).toEqual(Array.from({ length: 500 }, (_, i) => `${i}`));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('goes on where it stopped and makes an older file private', async () => {
    await writeFile(path, `${JSON.stringify(event({ auditID: 'old' }))}\n`, { mode: 0o644 });
    const log = await openAuditLog({ path });
    await log.write(event({ auditID: 'new' }));
    await log.close();
    expect((await lines(path)).map((line) => line.auditID)).toEqual(['old', 'new']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('sets full files aside and keeps as many as it is told', async () => {
    const lineLength = JSON.stringify(event({ auditID: '00' })).length + 1;
    const log = await openAuditLog({ path, maxBytes: 2 * lineLength, keptFiles: 2 });
    for (let index = 10; index < 20; index++) await log.write(event({ auditID: `${index}` }));
    await log.close();
    expect((await readdir(directory)).sort()).toEqual(['audit.log', 'audit.log.1', 'audit.log.2']);
    const kept = [`${path}.2`, `${path}.1`, path];
    const ids = (await Promise.all(kept.map(lines))).flat().map((line) => line.auditID);
    expect(ids).toEqual(['14', '15', '16', '17', '18', '19']);
    expect((await stat(`${path}.1`)).mode & 0o777).toBe(0o600);
  });

  it('writes no key that a client put into a URL, a user agent, a name or an id', async () => {
    const key = `flk_${'x'.repeat(46)}`;
    const log = await openAuditLog({ path });
    const objectRef = { resource: 'ownedaccesskeys', name: key };
    await log.write(event({ requestURI: `/x?token=hush&watch=1`, userAgent: key, auditID: key, objectRef }));
    await log.close();
    const text = await readFile(path, 'utf8');
    expect(text).not.toContain('hush');
    expect(text).not.toContain(key);
    expect(text).toContain('watch=1');
  });

  it('tells the caller that a line could not be written', async () => {
    const log = await openAuditLog({ path: '/dev/full' });
    await expect(log.write(event())).rejects.toThrow(/ENOSPC|EINVAL/);
    await log.close();
  });

  it('rejects after it was closed', async () => {
    const log = await openAuditLog({ path });
    await log.close();
    await expect(log.write(event())).rejects.toThrow('closed');
  });

  it('rejects when the file cannot be opened', async () => {
    await expect(openAuditLog({ path: join(directory, 'no', 'audit.log') })).rejects.toThrow('ENOENT');
  });
});
