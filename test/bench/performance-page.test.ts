import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { median, middleBy, percentile, timesBetter } from './figures.mjs';
import { type BenchResult, performancePage } from './performance-page.mjs';

const both: BenchResult = {
  date: '2026-01-02T03:04:05.000Z',
  command: 'npm run bench',
  scale: 1,
  seconds: 600,
  machine: {
    cores: 2,
    processor: 'some processor',
    memoryMiB: 8000,
    kernel: 'Linux 6',
    node: 'v20',
    fileSystem: 'ext4',
    syncMilliseconds: 0.5,
    version: '0.1.0',
    commit: 'abc',
  },
  sides: { ours: 'Flotilla', theirs: 'kube-apiserver + etcd' },
  rows: [
    {
      scenario: 'creates',
      id: 'create-10',
      operation: 'create, 10 clients',
      ours: { rate: 2100, p99: 20, clientCpu: 0.2, refused: 3, disturbed: 12 },
      theirs: { rate: 350, p99: 10, clientCpu: 0.1 },
    },
    { scenario: 'start', id: 'start', operation: 'start, empty', ours: { milliseconds: 1500 }, theirs: {} },
  ],
};

describe('the arithmetic of the benchmark', () => {
  it('takes the value below or at which a share of the values lies', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => at + 1);
    expect([0, 0.5, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([1, 50, 99, 100]);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
    expect(median([3, 1, 2])).toBe(2);
    expect(middleBy([{ p99: 3 }, { p99: 1 }, { p99: 9 }, { p99: 2 }], ({ p99 }) => p99)).toEqual({ p99: 2 });
  });

  it('never has more than the share of the values below a percentile, nor less at or below it', () => {
    const values = fc.array(fc.double({ noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (unsorted, share) => {
        const sorted = Float64Array.from(unsorted).sort();
        const value = percentile(sorted, share);
        const below = sorted.filter((each) => each < value).length;
        const upTo = sorted.filter((each) => each <= value).length;
        expect(below).toBeLessThanOrEqual(sorted.length * share);
        expect(upTo).toBeGreaterThanOrEqual(sorted.length * share);
      }),
    );
  });

  it('says how many times better ours is, whichever way the figure goes', () => {
    expect(timesBetter('rate', 200, 100)).toBe(2);
    expect(timesBetter('p99', 200, 100)).toBe(0.5);
    expect(timesBetter('delivered', 100, 100)).toBe(1);
    expect(timesBetter('growth', 0, 100)).toBe(25);
    expect(timesBetter('growth', 0.1, 0)).toBe(1);
    expect(timesBetter('milliseconds', 0, 100)).toBeUndefined();
    expect(timesBetter('rate', undefined, 100)).toBeUndefined();
  });
});

describe('the page of a result', () => {
  it('holds each limit and each goal against what was measured', () => {
    const page = performancePage(both);
    expect(page).toContain('| create, 10 clients: per second | at least 2,000 | 2,100 | reached |');
    expect(page).toContain('| start, empty: ms | under 1,000 | 1,500 | missed |');
    expect(page).toContain('| create, 10 clients: per second | 5× | 6× | reached |');
    expect(page).toContain('| start, empty: ms | 10× | – | missed |');
  });

  it('says that more workers do not pay, and that watches need too much memory', () => {
    const rows: BenchResult['rows'] = [
      { scenario: 'busyPlanes', id: 'busy-2', operation: 'busy, 2 workers', ours: { share: 84 } },
      { scenario: 'watchers', id: 'watchers', operation: '1,000 watchers', ours: { perWatch: 49.4 } },
    ];
    const page = performancePage({ ...both, rows });
    expect(page).toContain('| busy, 2 workers: of the rate % | at least 150 | 84 | missed |');
    expect(page).toContain('| 1,000 watchers: memory per watch kB | under 20.0 | 49.4 | missed |');
  });

  it('shows the figures of a cold run beside the warm ones, and which targets it must reach too', () => {
    const cold: BenchResult = {
      ...both,
      command: 'npm run bench -- --scale 0.2',
      rows: [
        { scenario: 'creates', id: 'create-10', operation: 'create', ours: { rate: 900 }, theirs: { rate: 300 } },
        { scenario: 'churn', id: 'churn-events', operation: 'events', ours: { p99: 20 }, theirs: { p99: 120 } },
      ],
    };
    const churn = {
      scenario: 'churn',
      id: 'churn-events',
      operation: '25 watches',
      ours: { p99: 10 },
      theirs: { p99: 120 },
    };
    const page = performancePage({ ...both, rows: [...both.rows, churn] }, cold);
    expect(page).toContain('The column "cold" is from `npm run bench -- --scale 0.2`');
    expect(page).toContain('| create, 10 clients: per second | at least 2,000 | 2,100 | 900 | reached |');
    expect(page).toContain('| create, 10 clients: per second | 5× | 6× | 3× | missed when cold |');
    expect(page).toContain('| 25 watches: p99 ms | 10×, cold 5× | 12× | 6× | reached |');
  });

  it('shows both sides of every figure, what is lost as well as what is won, and what was refused', () => {
    const page = performancePage(both);
    expect(page).toContain('| create, 10 clients | 2,100 : 350 (6×) | 20.0 : 10.0 (0.5×) | 0.200 : 0.100 |');
    expect(page.split('## Where Flotilla is worse')[1]).toContain(
      '| create, 10 clients: p99 ms | 20.0 | 10.0 | 0.5× |',
    );
    expect(page).toContain('- Flotilla, create, 10 clients: 3 requests were refused with 429 and retried');
  });

  it('says how busy the machine was with something else', () => {
    expect(performancePage(both)).toContain('CPU share of other programs: 12 % while Flotilla was measured (median)');
  });

  it('compares nothing where there is one side alone', () => {
    const rows = both.rows.map(({ theirs: _, ...row }) => row);
    const page = performancePage({ ...both, rows, sides: { ours: 'Flotilla' } });
    expect(page).toContain('| create, 10 clients | 2,100 | 20.0 | 0.200 |');
    expect(page).not.toContain('Compared with');
    expect(page).not.toContain('is worse');
  });
});
