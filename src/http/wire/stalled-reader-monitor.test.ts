import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StalledReaderMonitor } from './stalled-reader-monitor.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watched() {
  const response = { writableLength: 0, destroy: vi.fn() };
  let handedOver = 0;
  const stop = new StalledReaderMonitor(1000).watch(response, () => handedOver);
  return {
    response,
    stop,
    write(length: number) {
      handedOver += length;
      response.writableLength += length;
    },
  };
}

describe('a client', () => {
  it('that reads everything stays connected, even if each check finds the same pending amount (CLIENT-21)', () => {
    const { response, write } = watched();
    for (let look = 0; look < 10; look++) {
      write(120);
      vi.advanceTimersByTime(1000);
      response.writableLength = 0;
    }
    expect(response.destroy).not.toHaveBeenCalled();
  });

  it('that reads slowly stays connected', () => {
    const { response, write } = watched();
    write(100_000);
    for (let look = 0; look < 10; look++) {
      vi.advanceTimersByTime(1000);
      response.writableLength -= 1;
    }
    expect(response.destroy).not.toHaveBeenCalled();
  });

  it('that reads nothing is disconnected, whether more is written meanwhile or not', () => {
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

  it('without pending data is never disconnected, nor one whose response is complete', () => {
    const { response, write, stop } = watched();
    vi.advanceTimersByTime(10_000);
    write(500);
    stop();
    vi.advanceTimersByTime(10_000);
    expect(response.destroy).not.toHaveBeenCalled();
  });
});
