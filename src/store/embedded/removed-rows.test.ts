import { describe, expect, it } from 'vitest';
import { RemovedRows } from './removed-rows.ts';

describe('removed rows', () => {
  it('are one range per type and slice, history first, and are returned once', () => {
    const rows = new RemovedRows();
    for (const key of ['dteams\u0000b', 'hteams\u00002', 'dteams\u0000a', 'dteams\u0000c', 'dother\u0000x'])
      rows.add(key);
    expect(rows.take()).toEqual([
      { first: 'hteams\u00002', last: 'hteams\u00002' },
      { first: 'dteams\u0000a', last: 'dteams\u0000c' },
      { first: 'dother\u0000x', last: 'dother\u0000x' },
    ]);
    expect(rows.take()).toEqual([]);
  });

  it('are recorded for a limited number of slices', () => {
    const rows = new RemovedRows();
    for (let slice = 0; slice < 2_000; slice++) rows.add(`d${slice}\u0000x`);
    expect(rows.take()).toHaveLength(1_000);
  });
});
