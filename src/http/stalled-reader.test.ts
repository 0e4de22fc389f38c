import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StalledReaders } from './stalled-reader.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watched() {
  const response = { writableLength: 0, destroy: vi.fn() };
  let handedOver = 0;
  const stop = new StalledReaders(1000).watch(response, () => handedOver);
  return {
    response,
    stop,
    write(length: number) {
      handedOver += length;
      response.writableLength += length;
    },
  };
}

describe('a reader', () => {
  it('who takes everything stays, though each look finds the same on its way (CLIENT-21)', () => {
    const { response, write } = watched();
    for (let look = 0; look < 10; look++) {
      write(120);
      vi.advanceTimersByTime(1000);
      response.writableLength = 0;
    }
    expect(response.destroy).not.toHaveBeenCalled();
  });

  it('who takes little by little stays', () => {
    const { response, write } = watched();
    write(100_000);
    for (let look = 0; look < 10; look++) {
      vi.advanceTimersByTime(1000);
      response.writableLength -= 1;
    }
    expect(response.destroy).not.toHaveBeenCalled();
  });

  it('who takes nothing is cut off, whether more is written meanwhile or not', () => {
    for (const more of [0, 120]) {
      const { response, write } = watched();
      write(500);
      vi.advanceTimersByTime(1000);
      write(more);
      expect(response.destroy).not.toHaveBeenCalled();
      vi.advanceTimersByTime(250);
      expect(response.destroy).toHaveBeenCalledOnce();
    }
  });

  it('for whom nothing waits is never cut off, nor one whose answer is over', () => {
    const { response, write, stop } = watched();
    vi.advanceTimersByTime(10_000);
    write(500);
    stop();
    vi.advanceTimersByTime(10_000);
    expect(response.destroy).not.toHaveBeenCalled();
  });
});
