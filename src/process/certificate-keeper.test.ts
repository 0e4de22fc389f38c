import { describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { keepCertificate } from './certificate-keeper.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('keepCertificate', () => {
  it('changes are reported, failures are survived, and the keeper can be stopped', async () => {
    const clock = new ManualClock();
    const seen: string[] = [];
    let next: (() => Promise<{ cert: string; key: string }>) | undefined;
    const load = () => (next === undefined ? Promise.resolve({ cert: 'a', key: 'a' }) : next());
    const stop = keepCertificate({
      clock,
      log: silentLog,
      initial: { cert: 'a', key: 'a' },
      load,
      intervalMilliseconds: 1000,
      onChange: (pair) => seen.push(pair.cert),
    });
    const tick = async () => {
      clock.advance(1000);
      await settled();
    };
    await tick();
    expect(seen).toEqual([]);
    next = () => Promise.reject(new Error('half written'));
    await tick();
    next = () => Promise.resolve({ cert: 'b', key: 'b' });
    await tick();
    await tick();
    expect(seen).toEqual(['b']);
    stop();
    next = () => Promise.resolve({ cert: 'c', key: 'c' });
    await tick();
    expect(seen).toEqual(['b']);
  });
});
