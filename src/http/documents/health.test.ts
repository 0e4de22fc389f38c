import { describe, expect, it } from 'vitest';
import type { HealthCheck } from '../plane.ts';
import { healthReply } from './health.ts';

const store: HealthCheck = { name: 'store', on: ['livez', 'readyz', 'healthz'], check() {} };
const broken: HealthCheck = {
  name: 'shutdown',
  on: ['readyz'],
  check: () => Promise.reject(new Error('the secret reason')),
};

async function ask(path: string, checks: readonly HealthCheck[] = [store, broken]) {
  const url = new URL(path, 'https://fleet.test');
  return healthReply(checks, url.pathname, url.searchParams);
}

describe('health', () => {
  it.each(['/healthz', '/livez', '/readyz'])('%s returns only ok (HEALTH-01)', async (path) => {
    expect(await ask(path, [store])).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'ok',
    });
  });

  it('the verbose response lists the checks (HEALTH-02)', async () => {
    expect((await ask('/livez?verbose'))?.body).toBe('[+]ping ok\n[+]store ok\nlivez check passed\n');
  });

  it('a failure lists all checks and withholds the reason (HEALTH-03, HEALTH-06)', async () => {
    expect(await ask('/readyz')).toMatchObject({
      status: 500,
      body: '[+]ping ok\n[+]store ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n',
    });
    expect((await ask('/livez'))?.status).toBe(200);
  });

  it('excluded checks are skipped and unknown ones are reported (HEALTH-04)', async () => {
    const reply = await ask('/readyz?verbose&exclude=shutdown&exclude=nobody');
    expect(reply).toMatchObject({
      status: 200,
      body:
        '[+]ping ok\n[+]store ok\n[+]shutdown excluded: ok\n' +
        'warn: some health checks cannot be excluded: no matches for "nobody"\nreadyz check passed\n',
    });
  });

  it('a single check has its own path (HEALTH-05)', async () => {
    expect(await ask('/readyz/store')).toMatchObject({ status: 200, body: 'ok' });
    const failed = await ask('/readyz/shutdown');
    expect(failed?.status).toBe(500);
    expect(failed?.body).toMatch(/^internal server error: /);
    expect(failed?.body).not.toContain('secret');
    await expect(ask('/livez/shutdown')).rejects.toMatchObject({ code: 404 });
  });

  it('other paths are not health paths', async () => {
    expect(await ask('/apis')).toBeUndefined();
  });
});
