import { describe, expect, it } from 'vitest';
import { BodyBudget } from './body-budget.ts';

/** A body whose chunks arrive when the test sends them. */
class Sender {
  #tell: (bytes: number) => void = () => {};
  #settle: { resolve: (bytes: number) => void; reject: (error: unknown) => void } | undefined;
  #bytes = 0;
  /** Resolves with the number of received bytes, or with the status code of the error. */
  readonly outcome: Promise<unknown>;

  constructor(room: BodyBudget, key = 'anna') {
    const read = (tell: (bytes: number) => void) => {
      this.#tell = tell;
      return new Promise<number>((resolve, reject) => {
        this.#settle = { resolve, reject };
      });
    };
    this.outcome = room
      .receive(key, read)
      .catch((error: { code?: number; message: string }) => error.code ?? error.message);
  }

  send(bytes: number): void {
    try {
      this.#tell(bytes);
      this.#bytes += bytes;
    } catch (error) {
      this.#settle?.reject(error);
    }
  }

  end(): void {
    this.#settle?.resolve(this.#bytes);
  }

  breakOff(): void {
    this.#settle?.reject(new Error('gone'));
  }
}

describe('a body that is being received', () => {
  it('is returned when it is complete', async () => {
    const sender = new Sender(new BodyBudget(100));
    sender.send(20);
    sender.send(30);
    sender.end();
    expect(await sender.outcome).toBe(50);
  });

  it('fails if it ends early, and releases its share of the budget', async () => {
    const room = new BodyBudget(100);
    const sender = new Sender(room);
    sender.send(90);
    sender.breakOff();
    expect(await sender.outcome).toBe('gone');
    const [first, second] = [new Sender(room), new Sender(room)];
    first.send(50);
    second.send(50);
    first.end();
    second.end();
    expect(await Promise.all([first.outcome, second.outcome])).toEqual([50, 50]);
  });

  it('is rejected if the budget is exceeded and it is the oldest one', async () => {
    const room = new BodyBudget(100);
    const senders = [new Sender(room), new Sender(room), new Sender(room)] as const;
    senders[0].send(10);
    senders[1].send(60);
    senders[2].send(35);
    // The first sender is rejected, because 105 bytes are 5 more than the budget. It gets the error without sending
    // more.
    expect(await senders[0].outcome).toBe(429);
    senders[0].send(500);
    senders[1].end();
    senders[2].end();
    expect(await Promise.all([senders[1].outcome, senders[2].outcome])).toEqual([60, 35]);
    const last = new Sender(room);
    last.send(100);
    last.end();
    expect(await last.outcome).toBe(100);
  });

  it('is kept, however long it takes, while another key uses more', async () => {
    const room = new BodyBudget(100);
    const slow = new Sender(room, 'slow');
    slow.send(20);
    const flood = Array.from({ length: 10 }, () => new Sender(room, 'flood'));
    for (const sender of flood) sender.send(40);
    expect(await Promise.all(flood.slice(0, 8).map(({ outcome }) => outcome))).toEqual(Array(8).fill(429));
    slow.send(10);
    slow.end();
    expect(await slow.outcome).toBe(30);
    for (const sender of flood.slice(9)) sender.end();
    expect(await flood[9]?.outcome).toBe(40);
  });

  it('is rejected itself if it is larger than the whole budget', async () => {
    const sender = new Sender(new BodyBudget(100));
    sender.send(101);
    expect(await sender.outcome).toBe(429);
  });
});
