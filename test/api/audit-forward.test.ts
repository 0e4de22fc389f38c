import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { AuditEvent } from '../../src/api/audit/audit-event.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createAuthority } from '../../src/process/certificates.ts';
import { createServingCertificate } from '../../src/process/make-certificate.ts';
import { startWebhook } from '../../src/server/audit/forward-receivers.fixture.ts';
import { ServerTestEnv } from '../../src/server/server.fixture.ts';

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 20_000, interval: 50 });

it('a server forwards its audit log, also what it wrote before its last restart', async () => {
  const bench = await ServerTestEnv.open();
  const authority = await createAuthority(systemClock);
  const pair = await createServingCertificate(authority, ['127.0.0.1'], systemClock.now(), 3_600_000);
  const received: AuditEvent[] = [];
  const receiver = await startWebhook(pair, 0, ({ body }) => {
    received.push(
      ...body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as AuditEvent),
    );
    return 204;
  });
  try {
    const before = await bench.start();
    await bench.createObject(before, 'projects', 'red');
    await bench.stop(before);
    const [caFile, config] = [join(bench.root, 'siem.crt'), join(bench.root, 'config.yaml')];
    await writeFile(caFile, authority.cert);
    const url = `https://127.0.0.1:${receiver.port}/`;
    await writeFile(config, JSON.stringify({ audit: { forward: [{ name: 'siem', type: 'webhook', url, caFile }] } }));
    const server = await bench.start({ config });
    await bench.createObject(server, 'projects', 'blue');
    await eventually(() => {
      const names = received.filter(({ verb }) => verb === 'create').map(({ objectRef }) => objectRef?.name);
      expect(names).toEqual(expect.arrayContaining(['red', 'blue']));
    });
    const numbers = received.map(({ chain }) => chain?.seq);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    await eventually(async () => {
      const { text } = await bench.send(server, '/metrics');
      expect(text).toMatch(/^flotilla_audit_forward_failures_total\{target="siem"\} 0$/m);
      expect(text).toMatch(/^flotilla_audit_forward_lag_lines\{target="siem"\} 0$/m);
    });
    expect((await bench.send(server, '/healthz')).code).toBe(200);
  } finally {
    await bench.close();
    await receiver.close();
  }
});
