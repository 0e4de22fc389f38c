import { describe, expect, it } from 'vitest';
import { expectNearlyLinearGrowth } from './growth.fixture.ts';
import { disableMeters, WorkLimitError, WorkMeter } from './work-meter.ts';

describe('a work meter', () => {
  it('allows work up to its limit', () => {
    const meter = new WorkMeter('the test', 10);
    meter.charge(4);
    meter.charge(6);
    expect(meter.used).toBe(10);
  });

  it('ends work beyond its limit with an error that names the operation and the limit', () => {
    const meter = new WorkMeter('rendering the template', 10);
    meter.charge(10);
    expect(() => meter.charge(1)).toThrow(new WorkLimitError('rendering the template', 10));
    expect(() => meter.charge(1)).toThrow('rendering the template takes more than 10 units of work');
  });

  it('refuses work beyond its limit without an error if asked to try', () => {
    const meter = new WorkMeter('the test', 10);
    expect(meter.tryCharge(8)).toBe(true);
    expect(meter.tryCharge(3)).toBe(false);
    expect(meter.used).toBe(8);
    expect(meter.tryCharge(2)).toBe(true);
  });
});

it('meters have no limit while they are disabled', () => {
  const meter = new WorkMeter('the test', 10);
  const enable = disableMeters();
  try {
    meter.charge(20);
    expect(meter.tryCharge(20)).toBe(true);
  } finally {
    enable();
  }
  expect(meter.tryCharge(1)).toBe(false);
  expect(() => meter.charge(1)).toThrow(WorkLimitError);
});

describe('the growth check', () => {
  it('accepts linear work', async () => {
    await expectNearlyLinearGrowth((bytes) => 3 * bytes);
  });

  it('rejects quadratic work', async () => {
    await expect(expectNearlyLinearGrowth((bytes) => bytes * bytes)).rejects.toThrow(/work for \d+ bytes/);
  });
});
