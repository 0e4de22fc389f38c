import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { diskGauges } from './disk-gauges.ts';

describe('the metrics of the disk', () => {
  it('are the free and the reserved bytes, the latter only for an embedded store', () => {
    const [free, reserved] = diskGauges(tmpdir(), 'embedded').map(({ value }) => value());
    expect(free).toBeGreaterThan(0);
    expect(reserved).toBeGreaterThan(0);
    expect(diskGauges(tmpdir(), 'memory').map(({ name }) => name)).toEqual(['flotilla_data_disk_free_bytes']);
  });

  it('are not numbers if the disk cannot be queried', () => {
    expect(diskGauges('/does/not/exist', 'embedded').map(({ value }) => value())).toEqual([Number.NaN, Number.NaN]);
  });
});
