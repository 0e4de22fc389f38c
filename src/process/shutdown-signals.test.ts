import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { watchShutdownSignals } from './shutdown-signals.ts';

describe('watchEndSignals', () => {
  it('the first and the second signal are reported separately, whichever they are', async () => {
    const source = new EventEmitter();
    let second = 0;
    const signals = watchShutdownSignals(source, () => {
      second += 1;
    });
    source.emit('SIGINT');
    await signals.firstSignal;
    expect(second).toBe(0);
    source.emit('SIGTERM');
    expect(second).toBe(1);
    signals.stop();
    expect(source.listenerCount('SIGTERM') + source.listenerCount('SIGINT')).toBe(0);
  });
});
