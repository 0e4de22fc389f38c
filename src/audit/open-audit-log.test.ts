import { readFileSync, writeSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../api/audit/audit-event.ts';
import { type Appender, createAppender } from './appender.ts';
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

/** Returns an appender whose synchronous writes count as fast. `now` replaces `appendSync`. */
function appending(now: Appender['appendSync']): Appender {
  return { ...createAppender({ isFile: true }), mayAppendSync: () => true, appendSync: now };
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
  it('writes one JSON line per event, in order, to a file of mode 0600', async () => {
    const log = await openAuditLog({ path });
    await Promise.all(Array.from({ length: 500 }, (_, index) => log.write(event({ auditID: `${index}` }))));
    await log.close();
    expect((await lines(path)).map((line) => line.auditID)).toEqual(Array.from({ length: 500 }, (_, i) => `${i}`));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('appends to an existing file and makes it private', async () => {
    await writeFile(path, `${JSON.stringify(event({ auditID: 'old' }))}\n`, { mode: 0o644 });
    const log = await openAuditLog({ path });
    await log.write(event({ auditID: 'new' }));
    await log.close();
    expect((await lines(path)).map((line) => line.auditID)).toEqual(['old', 'new']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('rotates full files and retains the configured number', async () => {
    const lineLength = JSON.stringify(event({ auditID: '00' })).length + 1;
    // Each line has about 75 additional bytes for its hash, and the first line of a file 60 more for the previous hash.
    const log = await openAuditLog({ path, maxBytes: 2 * (lineLength + 75) + 60, keptFiles: 2 });
    for (let index = 10; index < 20; index++) await log.write(event({ auditID: `${index}` }));
    await log.close();
    expect((await readdir(directory)).sort()).toEqual(['audit.log', 'audit.log.1', 'audit.log.2']);
    const kept = [`${path}.2`, `${path}.1`, path];
    const ids = (await Promise.all(kept.map(lines))).flat().map((line) => line.auditID);
    expect(ids).toEqual(['14', '15', '16', '17', '18', '19']);
    expect((await stat(`${path}.1`)).mode & 0o777).toBe(0o600);
  });

  it('writes no key that a client put into a URL, a user agent, a name or an ID', async () => {
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

  it('writes a line with a cached prefix like any other line', async () => {
    const log = await openAuditLog({ path });
    const secret = 'flk_0123456789abcdef';
    const requests: Partial<AuditEvent>[] = [
      { user: { username: 'anna', groups: ['a'] }, accessKey: 'k' },
      { requestURI: `/x/${secret}` },
      { requestURI: '/é"', user: { username: 'anna', groups: ['"'] } },
      { userAgent: `agent ${secret}`, auditID: 'agent' },
      { auditID: secret },
      { user: { username: secret, groups: [] } },
      { impersonatedUser: { username: 'bob', groups: [] } },
    ];
    const ends: Partial<AuditEvent>[] = [
      {},
      { objectRef: { resource: 'things', name: 'x' } },
      { objectRef: { resource: 'things', name: secret } },
      { objectRef: { resource: 'things', name: '"' } },
      { responseStatus: { code: 409, reason: 'Conflict' } },
      { decision: { allowed: false, reason: secret, scopes: ['s'] } },
      { annotations: { note: secret } },
    ];
    for (const request of requests) {
      for (const end of ends) {
        const beginning = {};
        const before = event({ ...request, stage: 'RequestReceived' });
        const after = event({ ...request, ...end });
        await log.write(before, beginning);
        await log.write(after, beginning);
        await log.write(before);
        await log.write(after);
      }
    }
    await log.close();
    const written = (await lines(path)).map(({ chain: _chain, ...rest }) => rest);
    expect(JSON.stringify(written)).not.toContain(secret);
    for (let at = 0; at < written.length; at += 4) {
      expect(written.slice(at, at + 2)).toEqual(written.slice(at + 2, at + 4));
    }
    expect(written).toHaveLength(4 * requests.length * ends.length);
  });

  it('resolves after a line is in the file, and writes concurrent lines by one call', async () => {
    let calls = 0;
    const append = appending((file, bytes) => {
      calls++;
      writeSync(file.fd, bytes);
    });
    const log = await openAuditLog({ path, append });
    const isThere = (id: string) => readFileSync(path, 'utf8').includes(`"auditID":"${id}"`);
    for (const stage of ['RequestReceived', 'ResponseComplete'] as const) {
      const ids = Array.from({ length: 50 }, (_, index) => `${stage}-${index}.`);
      const told = await Promise.all(
        ids.map(async (auditID) => {
          const written = log.write(event({ auditID, stage }));
          const before = isThere(auditID);
          await written;
          return [before, isThere(auditID)];
        }),
      );
      expect(told).toEqual(ids.map(() => [false, true]));
    }
    expect(calls).toBe(2);
    await log.close();
  });

  it('removes partially written lines, rejects each of them, and continues', async () => {
    let isFull = true;
    const append = appending((file, bytes) => {
      writeSync(file.fd, bytes, 0, isFull ? bytes.length - 10 : bytes.length);
      if (isFull) throw new Error('ENOSPC');
    });
    const log = await openAuditLog({ path, append });
    const refused = await Promise.allSettled(['a', 'b', 'c'].map((auditID) => log.write(event({ auditID }))));
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(readFileSync(path, 'utf8')).toContain('"auditID":"b"');
    isFull = false;
    await log.write(event({ auditID: 'd' }));
    await log.write(event({ auditID: 'e' }));
    await log.close();
    expect((await lines(path)).map((line) => line.auditID)).toEqual(['d', 'e']);
  });

  it('writes pending lines before it closes', async () => {
    const log = await openAuditLog({ path });
    const written = log.write(event({ stage: 'RequestReceived' }));
    await log.close();
    await written;
    expect(await lines(path)).toMatchObject([{ stage: 'RequestReceived' }]);
  });

  it('limits the number of waiting lines while the disk is blocked', async () => {
    let goOn = (): void => {};
    let begin = (): void => {};
    const stands = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const slow = createAppender({ isFile: true });
    const append: Appender = {
      ...slow,
      mayAppendSync: () => false,
      appendAsync(file, bytes) {
        begin();
        return stands.then(() => slow.appendAsync(file, bytes));
      },
    };
    const log = await openAuditLog({ path, append });
    const first = log.write(event({ auditID: 'first' }));
    await begun;
    const waiting = Array.from({ length: 10_000 }, (_, index) => log.write(event({ auditID: `${index}` })));
    await Promise.resolve();
    await expect(log.write(event())).rejects.toThrow('too many audit events are waiting');
    goOn();
    await Promise.all([first, ...waiting]);
    await log.write(event({ auditID: 'last' }));
    await log.close();
    const ids = (await lines(path)).map((line) => line.auditID);
    expect(ids).toEqual(['first', ...Array.from({ length: 10_000 }, (_, i) => `${i}`), 'last']);
  });

  it('writes no key that is the name of a cached user, even the second time', async () => {
    const key = `flk_${'x'.repeat(46)}`;
    const log = await openAuditLog({ path });
    const made = event({ user: { username: key, groups: [key] }, accessKey: key, userAgent: `a ${key}` });
    for (let count = 0; count < 3; count++) await log.write(made);
    await log.close();
    expect(await readFile(path, 'utf8')).not.toContain(key);
    expect((await lines(path)).map(({ user, userAgent }) => [user?.username, userAgent])).toEqual(
      Array.from({ length: 3 }, () => ['[redacted]', 'a [redacted]']),
    );
  });

  it('rejects if a line could not be written', async () => {
    const log = await openAuditLog({ path: '/dev/full' });
    await expect(log.write(event())).rejects.toThrow(/ENOSPC|EINVAL/);
    await log.close();
  });

  it('rejects writes after it was closed', async () => {
    const log = await openAuditLog({ path });
    await log.close();
    await expect(log.write(event())).rejects.toThrow('closed');
  });

  it('rejects if the file cannot be opened', async () => {
    await expect(openAuditLog({ path: join(directory, 'no', 'audit.log') })).rejects.toThrow('ENOENT');
  });
});
