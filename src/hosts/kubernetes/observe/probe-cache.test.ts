import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../lib/clock.ts';
import { ProbeCache } from './probe-cache.ts';

const place = { namespace: 'space', name: 'one' };

function setUp(answers: readonly string[]) {
  const clock = new ManualClock();
  const left = [...answers];
  const news: string[] = [];
  let asked = 0;
  const inquiries = new ProbeCache<string>({
    async probe() {
      asked += 1;
      return left.length > 1 ? (left.shift() ?? '') : (left[0] ?? '');
    },
    isFinal: (answer) => answer === 'yes',
    retry: { initialMilliseconds: 100, maxMilliseconds: 1_000, random: () => 1 },
    clock,
    onChange: ({ name }) => news.push(name),
  });
  const advance = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { inquiries, advance, news, asked: () => asked };
}

describe('the probe cache', () => {
  it('probes once for the same state and again for a different one', async () => {
    const { inquiries, asked } = setUp(['yes']);
    await Promise.all([inquiries.get(place, 'a'), inquiries.get(place, 'a')]);
    expect(await inquiries.get(place, 'a')).toBe('yes');
    expect(asked()).toBe(1);
    await inquiries.get(place, 'b');
    expect(asked()).toBe(2);
    expect(inquiries.peek(place)).toBe('yes');
    inquiries.forget(place);
    expect(inquiries.peek(place)).toBeUndefined();
  });

  it('repeats a probe with backoff until the result is final and reports a changed result', async () => {
    const { inquiries, advance, news, asked } = setUp(['no', 'no', 'no, still', 'yes']);
    expect(await inquiries.get(place, 'a')).toBe('no');
    await advance(100);
    expect(asked()).toBe(2);
    expect(news).toEqual([]);
    await advance(100);
    expect(asked()).toBe(2);
    await advance(100);
    expect(news).toEqual(['one']);
    expect(await inquiries.get(place, 'a')).toBe('no, still');
    await advance(400);
    expect(news).toEqual(['one', 'one']);
    await advance(100_000);
    expect(asked()).toBe(4);
  });

  it('stops probing after forget and after close', async () => {
    const { inquiries, advance, asked } = setUp(['no']);
    await inquiries.get(place, 'a');
    inquiries.forget(place);
    await advance(10_000);
    expect(asked()).toBe(1);
    await inquiries.get(place, 'a');
    inquiries.close();
    await advance(10_000);
    expect(asked()).toBe(2);
  });
});
