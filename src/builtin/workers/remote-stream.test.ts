import { describe, expect, it } from 'vitest';
import { serviceUnavailable } from '../../api/status.ts';
import { encodeError } from './plane-errors.ts';
import { RemoteStream } from './remote-stream.ts';
import { streamWindowBytes } from './stream-window.ts';

function open() {
  const calls: string[] = [];
  const wakes: (() => void)[] = [];
  const stream = new RemoteStream({
    acknowledge: (bytes) => calls.push(`acknowledge ${bytes}`),
    cancel: () => calls.push('cancel'),
    scheduleWake: (wake) => wakes.push(wake),
  });
  return { stream, calls, wakes };
}

const part = (...texts: string[]) => ({ chunks: texts.map((text) => Buffer.from(text)), isLast: false });

describe('a stream from a worker', () => {
  it('wakes its reader for each part, and ends after the last', () => {
    const { stream, wakes, calls } = open();
    const taken: string[] = [];
    const read = () => {
      for (let chunk = stream.take(); chunk !== undefined; chunk = stream.take()) taken.push(String(chunk));
    };
    stream.wait(read);
    expect(wakes).toEqual([]);
    stream.add(part('a', 'b'));
    wakes.shift()?.();
    expect(taken).toEqual(['a', 'b']);
    expect(stream.isEnded).toBe(false);
    stream.wait(read);
    stream.add({ ...part('c'), isLast: true });
    expect(stream.isEnded).toBe(false);
    wakes.shift()?.();
    expect([taken, stream.isEnded, calls]).toEqual([['a', 'b', 'c'], true, []]);
  });

  it('acknowledges half a window at a time', () => {
    const { stream, calls } = open();
    const chunk = 'x'.repeat(streamWindowBytes / 4);
    stream.add(part(chunk, chunk, chunk, chunk));
    for (let count = 0; count < 4; count++) stream.take();
    expect(calls).toEqual([`acknowledge ${streamWindowBytes / 2}`, `acknowledge ${streamWindowBytes / 2}`]);
  });

  it('throws the error of the worker after the chunks before it', () => {
    const { stream } = open();
    const error = encodeError(serviceUnavailable('the worker ended'));
    stream.add({ ...part('a'), isLast: true, error });
    expect(String(stream.take())).toBe('a');
    expect(stream.isEnded).toBe(false);
    expect(() => stream.take()).toThrow('the worker ended');
    expect(stream.isEnded).toBe(true);
  });

  it('tells the worker once that its reader has stopped, and ignores later parts', () => {
    const { stream, calls, wakes } = open();
    stream.wait(() => {});
    stream.close();
    stream.close();
    stream.add(part('late'));
    expect(stream.take()).toBeUndefined();
    expect([calls, wakes.length, stream.isEnded]).toEqual([['cancel'], 1, true]);
  });
});
