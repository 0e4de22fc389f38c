import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { endOfSignal, onAbort, RequestEnd } from './request-end.ts';

describe('the end of a request', () => {
  it('is reported once, with the first reason, to all listeners and through the signal', () => {
    const end = new RequestEnd();
    const told: unknown[] = [];
    const { signal } = end;
    end.onEnd((reason) => told.push(reason));
    const letGo = end.onEnd(() => told.push('somebody who has left'));
    letGo();
    end.end('first');
    end.end('second');
    expect(told).toEqual(['first']);
    expect([end.hasEnded, end.reason, signal.aborted, signal.reason]).toEqual([true, 'first', true, 'first']);
  });

  it('is reported in the order of registration, even if listeners are removed in between', () => {
    const end = new RequestEnd();
    const told: string[] = [];
    const letGo = ['a', 'b', 'c'].map((name) => end.onEnd(() => told.push(name)));
    letGo[0]?.();
    end.onEnd(() => told.push('d'));
    letGo[2]?.();
    letGo[2]?.();
    end.end('over');
    expect(told).toEqual(['b', 'd']);
  });

  it('is not reported to a listener that another listener removes', () => {
    const end = new RequestEnd();
    const told: string[] = [];
    const removers: (() => void)[] = [];
    end.onEnd(() => told.push('a'));
    end.onEnd(() => removers[0]?.());
    removers.push(end.onEnd(() => told.push('b')));
    end.onEnd(() => told.push('c'));
    end.end('over');
    expect(told).toEqual(['a', 'c']);
  });

  it('is reported to listeners that are added afterwards', () => {
    const end = new RequestEnd();
    expect(end.hasEnded).toBe(false);
    end.end('over');
    const told: unknown[] = [];
    end.onEnd((reason) => told.push(reason));
    expect(told).toEqual(['over']);
    expect([end.signal.aborted, end.signal.reason]).toEqual([true, 'over']);
  });
});

describe('a listener of a signal', () => {
  it('is called on abort, and leaves no listener behind in either case', () => {
    const controller = new AbortController();
    const { signal } = controller;
    const told: string[] = [];
    const letGo = ['a', 'b', 'c'].map((name) => onAbort(signal, (reason) => told.push(`${name} ${reason}`)));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    letGo[0]?.();
    letGo[0]?.();
    controller.abort('over');
    expect(told).toEqual(['b over', 'c over']);
    onAbort(signal, (reason) => told.push(`late ${reason}`));
    expect(told.at(-1)).toBe('late over');

    const other = new AbortController().signal;
    const both = [onAbort(other, () => {}), onAbort(other, () => {})];
    for (const leave of both) leave();
    expect(getEventListeners(other, 'abort')).toHaveLength(0);
    onAbort(other, () => {});
    expect(getEventListeners(other, 'abort')).toHaveLength(1);
  });
});

describe('the end of a request that only has a signal', () => {
  it('is reported when the signal aborts', () => {
    const controller = new AbortController();
    const end = endOfSignal(controller.signal);
    const told: unknown[] = [];
    end.onEnd((reason) => told.push(reason));
    expect(end.hasEnded).toBe(false);
    controller.abort('over');
    expect([end.hasEnded, told]).toEqual([true, ['over']]);
  });
});
