import { describe, expect, it } from 'vitest';
import { disableFastPaths, enableFastPaths, fastPathsEnabled } from './fast-paths.ts';

describe('the switch for fast paths', () => {
  it('is on unless the run asks for plain paths', () => {
    expect(fastPathsEnabled()).toBe(process.env.FLOTILLA_FAST_PATHS !== 'off');
  });

  it('returns to its previous state', () => {
    const before = fastPathsEnabled();
    const restore = enableFastPaths();
    const restoreInner = disableFastPaths();
    expect(fastPathsEnabled()).toBe(false);
    restoreInner();
    expect(fastPathsEnabled()).toBe(true);
    restore();
    expect(fastPathsEnabled()).toBe(before);
  });
});
