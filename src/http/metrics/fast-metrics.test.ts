import { describe, expect, it } from 'vitest';
import { FastCounter, FastHistogram } from './fast-metrics.ts';

describe('the series of a metric', () => {
  it('count each label set separately (METRIC-02)', () => {
    const tally = new FastCounter('visits_total', 'Visits.');
    const own = tally.series({ path: '/a', code: '200' });
    own.value += 2;
    tally.series({ path: '/b', code: '200' }).value++;
    expect(tally.series({ path: '/a', code: '200' })).toBe(own);
    expect(tally.text()).toBe(
      '# HELP visits_total Visits.\n# TYPE visits_total counter\n' +
        'visits_total{path="/a",code="200"} 2\nvisits_total{path="/b",code="200"} 1\n',
    );
  });

  it('count each value in its bucket and all larger ones (METRIC-03)', () => {
    const tally = new FastHistogram('sizes', 'Sizes.', [1, 10]);
    const line = tally.series({ kind: 'x' });
    line.observe(1);
    line.observe(4);
    line.observe(4);
    line.observe(11);
    expect(tally.text().split('\n').slice(2)).toEqual([
      'sizes_bucket{le="1",kind="x"} 1',
      'sizes_bucket{le="10",kind="x"} 3',
      'sizes_bucket{le="+Inf",kind="x"} 4',
      'sizes_sum{kind="x"} 20',
      'sizes_count{kind="x"} 4',
      '',
    ]);
  });

  it('escape special characters in labels', () => {
    const tally = new FastCounter('n', 'N.');
    tally.series({ name: 'a"b\\c\nd' }).value++;
    expect(tally.text()).toContain('n{name="a\\"b\\\\c\\nd"} 1\n');
  });
});
