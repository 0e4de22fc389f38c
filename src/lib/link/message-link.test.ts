import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { type ErrorCodec, LinkClosedError, MessageLink } from './message-link.ts';
import { withTransfer } from './transferred-buffers.ts';

interface Left {
  note(text: string): void;
}

interface Right {
  double(number: number): number;
  later(text: string): Promise<string>;
  fail(message: string): Promise<never>;
  uncloneable(): unknown;
  never(): Promise<void>;
  sum(parameter: { readonly bytes: Uint8Array }): number;
}

const errors: ErrorCodec = {
  encode: (error) => (error instanceof Error ? error.message : String(error)),
  decode: (encoded) => new RangeError(String(encoded)),
};

describe('MessageLink', () => {
  const links: { close(): void }[] = [];
  afterEach(() => {
    for (const link of links.splice(0)) link.close();
  });

  function connect() {
    const { port1, port2 } = new MessageChannel();
    const notes: string[] = [];
    const closed: string[] = [];
    const left = new MessageLink<Left, Right>({
      port: port1,
      errors,
      methods: { note: (text) => void notes.push(text) },
      onClose: () => closed.push('left'),
    });
    const right: MessageLink<Right, Left> = new MessageLink<Right, Left>({
      port: port2,
      errors,
      methods: {
        double: (number) => 2 * number,
        async later(text) {
          right.send('note', `before ${text}`);
          return text;
        },
        fail: (message) => Promise.reject(new TypeError(message)),
        uncloneable: () => () => {},
        never: () => new Promise(() => {}),
        sum: ({ bytes }) => bytes.reduce((sum, byte) => sum + byte, 0),
      },
      onClose: () => closed.push('right'),
    });
    links.push(left);
    return { left, right, notes, closed };
  }

  it('moves the memory of long arrays to the other thread, and copies all others', async () => {
    const { left } = connect();
    const sumOf = (bytes: Uint8Array) => left.call('sum', withTransfer({ bytes }, bytes));
    const long = new Uint8Array(20_000).fill(1);
    const short = new Uint8Array(1_000).fill(1);
    const part = new Uint8Array(40_000).fill(1).subarray(20_000);
    const shared = new Uint8Array(new SharedArrayBuffer(20_000)).fill(1);
    expect(await Promise.all([long, short, part, shared].map(sumOf))).toEqual([20_000, 1_000, 20_000, 20_000]);
    expect([long, short, part, shared].map(({ length }) => length)).toEqual([0, 1_000, 20_000, 20_000]);
  });

  it('returns results, and rejects with the decoded error', async () => {
    const { left } = connect();
    expect(await Promise.all([left.call('double', 2), left.call('double', 3)])).toEqual([4, 6]);
    await expect(left.call('fail', 'no')).rejects.toEqual(new RangeError('no'));
  });

  it('a message that a method sends arrives before its result', async () => {
    const { left, notes } = connect();
    const result = left.call('later', 'x').then((text) => [...notes, text]);
    expect(await result).toEqual(['before x', 'x']);
  });

  it('a result that cannot be copied is an error of this call only', async () => {
    const { left } = connect();
    const [before, failed, after] = [
      left.call('double', 1),
      left.call('uncloneable', undefined),
      left.call('double', 2),
    ];
    await expect(failed).rejects.toBeInstanceOf(RangeError);
    expect(await Promise.all([before, after])).toEqual([2, 4]);
  });

  it('a parameter that cannot be copied is an error of this call only', async () => {
    const { left } = connect();
    const uncloneable = (() => {}) as unknown as number;
    const [before, failed, after] = [left.call('double', 1), left.call('double', uncloneable), left.call('double', 2)];
    await expect(failed).rejects.toThrow('could not be cloned');
    expect(await Promise.all([before, after])).toEqual([2, 4]);
  });

  it('delivers more messages than fit into one batch, in order, also those that precede its end', async () => {
    const { left, right, notes } = connect();
    const texts = Array.from({ length: 100 }, (_, number) => String(number));
    for (const text of texts) right.send('note', text);
    const ended = left.call('never', undefined);
    right.close();
    await expect(ended).rejects.toBeInstanceOf(LinkClosedError);
    expect(notes).toEqual(texts);
  });

  it('rejects calls without a result when either side closes it', async () => {
    const { left, right, closed } = connect();
    const waiting = left.call('never', undefined);
    right.close();
    await expect(waiting).rejects.toBeInstanceOf(LinkClosedError);
    await expect(left.call('double', 1)).rejects.toBeInstanceOf(LinkClosedError);
    left.send('double', 1);
    expect(closed.sort()).toEqual(['left', 'right']);
  });
});
