import { describe, expect, it } from 'vitest';
import { exchangeFor } from '../../../test/harness/exchange.ts';
import { unauthorized } from '../../api/status.ts';
import { ManualClock, systemClock } from '../../lib/clock.ts';
import type { Filter } from '../exchange.ts';
import { readBody } from '../wire/read-body.ts';
import { inFlightFilter } from './in-flight.ts';

/** A body whose second half arrives when the test sends it. */
class Halves {
  finish: () => void = () => {};
  readonly #finished = new Promise<void>((resolve) => {
    this.finish = resolve;
  });

  async *body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"sent":');
    await this.#finished;
    yield Buffer.from('"slowly"}');
  }
}

async function* atOnce(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{}');
}

/** Sends a POST through the filter to a handler that reads the body and then works. */
async function post(
  filter: Filter,
  body: AsyncIterable<Uint8Array>,
  { headers = {}, limit = 100, work = () => Promise.resolve() } = {},
): Promise<unknown> {
  const exchange = exchangeFor({ method: 'POST', url: '/apis/example.dev/v1/namespaces/a/widgets', body, headers });
  exchange.identity = { user: { name: 'anna', groups: [] }, system: false, signal: new AbortController().signal };
  const reply = await filter(exchange, async () => {
    const sent = Buffer.from(await readBody(exchange, limit)).toString();
    await work();
    return { status: 201, headers: {}, body: sent };
  }).catch((error: { code: number }) => error.code);
  return typeof reply === 'number' ? reply : reply.body;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a request whose body is still being received', () => {
  it('holds no in-flight slot', async () => {
    const filter = inFlightFilter({ clock: new ManualClock(), writes: 1, waitMilliseconds: 0 });
    const halves = new Halves();
    const slow = post(filter, halves.body());
    await turn();
    for (let times = 0; times < 3; times++) expect(await post(filter, atOnce())).toBe('{}');
    halves.finish();
    expect(await slow).toBe('{"sent":"slowly"}');
  });

  it('gets 429 if there is no slot when its body has arrived (ERR-15)', async () => {
    // The clock does not advance, so every time slice fits into its round even on a busy machine.
    const clock = new ManualClock();
    const filter = inFlightFilter({ clock, writes: 1, waitMilliseconds: 0 });
    const halves = new Halves();
    const slow = post(filter, halves.body());
    await turn();
    const other = new Halves();
    const busy = post(filter, atOnce(), {
      work: () =>
        other
          .body()
          .next()
          .then(() => slow)
          .then(() => {}),
    });
    await turn();
    halves.finish();
    await turn();
    clock.advance(1);
    expect(await slow).toBe(429);
    expect(await busy).toBe('{}');
    expect(await post(filter, atOnce())).toBe('{}');
  });

  it('releases no slot that it does not hold if its body ends early', async () => {
    const filter = inFlightFilter({ clock: systemClock, writes: 1, waitMilliseconds: 0 });
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{');
      await turn();
      throw new Error('gone');
    }
    expect(await post(filter, broken())).toBe(400);
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const busy = post(filter, atOnce(), { work: () => finished });
    await turn();
    expect(await post(filter, atOnce())).toBe(429);
    finish();
    expect(await busy).toBe('{}');
  });
});

it('requests that end before their time slice release their slots immediately', async () => {
  const clock = new ManualClock();
  const filter = inFlightFilter({ clock, reads: 2, waitMilliseconds: 0 });
  const get = (name: string) => {
    const exchange = exchangeFor({ method: 'GET', url: '/apis/example.dev/v1/widgets' });
    exchange.identity = { user: { name, groups: [] }, system: false, signal: new AbortController().signal };
    const reply = filter(exchange, async () => ({ status: 200, headers: {} })).then(
      ({ status }) => status,
      (error: { code: number }) => error.code,
    );
    return { exchange, reply };
  };
  const cancelled = ['eve', 'eve'].map(get);
  for (const { exchange } of cancelled) exchange.end.end(new Error('the client cancelled'));
  const { reply } = get('anna');
  clock.advance(1);
  expect(await reply).toBe(200);
  expect(await Promise.all(cancelled.map((each) => each.reply))).toEqual([500, 500]);
});

it('a request whose body is buffered does not wait for a second slot', async () => {
  const filter = inFlightFilter({ clock: systemClock, writes: 1 });
  const order: string[] = [];
  const note = (name: string) => ({
    work: async () => {
      order.push(`${name} begins`);
      await turn();
      order.push(`${name} ends`);
    },
  });
  await Promise.all([post(filter, atOnce(), note('first')), post(filter, atOnce(), note('second'))]);
  expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
});

it('a body whose Content-Length is too long is not awaited', async () => {
  async function* never(): AsyncGenerator<Uint8Array> {
    await new Promise(() => {});
  }
  const filter = inFlightFilter({ clock: systemClock });
  expect(await post(filter, never(), { headers: { 'content-length': '11' }, limit: 10 })).toBe(413);
});

describe('requests of several keys', () => {
  function get(filter: Filter, name: string, work: () => void, signal?: AbortSignal): Promise<unknown> {
    const url = '/apis/example.dev/v1/namespaces/a/widgets/one';
    const exchange = exchangeFor({ url, ...(signal === undefined ? {} : { signal }) });
    exchange.identity = { user: { name, groups: [] }, system: false, signal: new AbortController().signal };
    return filter(exchange, async () => {
      work();
      return { status: 200, headers: {} };
    }).then(
      ({ status }) => status,
      (error: { code: number }) => error.code,
    );
  }

  function keepBusy(milliseconds: number): void {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  }

  it('share the CPU: a key with hundreds of requests delays no other key', async () => {
    const filter = inFlightFilter({ clock: systemClock });
    let done = 0;
    const many = Array.from({ length: 400 }, () =>
      get(filter, 'anna', () => {
        keepBusy(0.5);
        done++;
      }),
    );
    await turn();
    const before = done;
    expect(await get(filter, 'bert', () => {})).toBe(200);
    // Only the requests of the current round were served before the measured request. None of the hundreds of waiting
    // requests was served before it.
    expect(done - before).toBeLessThan(50);
    await Promise.all(many);
    expect(done).toBe(400);
  });

  it('are not started after their client has disconnected, which is not a refusal', async () => {
    const filter = inFlightFilter({ clock: systemClock });
    const controller = new AbortController();
    let begun = false;
    const given = get(filter, 'anna', () => (begun = true), controller.signal);
    controller.abort();
    expect(await given).toBe(500);
    expect(begun).toBe(false);
  });

  it('get 401 rather than 429 if their key ended while they waited', async () => {
    const filter = inFlightFilter({ clock: systemClock, reads: 1 });
    const controller = new AbortController();
    let begun = false;
    const turnComes = get(filter, 'anna', () => (begun = true), controller.signal);
    const slotComes = get(filter, 'anna', () => (begun = true), controller.signal);
    controller.abort(unauthorized());
    expect(await turnComes).toBe(401);
    expect(await slotComes).toBe(401);
    expect(begun).toBe(false);
  });
});

describe('watches that are opened', () => {
  function open(filter: Filter, name: string, opening: Promise<void>): Promise<number> {
    const exchange = exchangeFor({ url: '/apis/example.dev/v1/namespaces/a/widgets?watch=true' });
    exchange.identity = { user: { name, groups: [] }, system: false, signal: new AbortController().signal };
    return filter(exchange, async () => {
      await opening;
      return { status: 200, headers: {} };
    }).then(
      ({ status }) => status,
      (error: { code: number }) => error.code,
    );
  }

  /** Returns a promise and the function with which the test resolves it. */
  function gate(): { readonly opened: Promise<void>; open(): void } {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { opened, open: () => open() };
  }

  it('wait instead of being refused if thousands arrive at once', async () => {
    const filter = inFlightFilter({ clock: systemClock });
    const { opened, open: openGate } = gate();
    const many = Array.from({ length: 5000 }, (_, number) => open(filter, `key-${number % 50}`, opened));
    await turn();
    openGate();
    expect(new Set(await Promise.all(many))).toEqual(new Set([200]));
  });

  it('use no slots of other reads', async () => {
    const filter = inFlightFilter({ clock: systemClock, reads: 1, waitMilliseconds: 0 });
    const { opened, open: openGate } = gate();
    const watches = [open(filter, 'anna', opened), open(filter, 'anna', opened)];
    await turn();
    const read = exchangeFor({ url: '/apis/example.dev/v1/namespaces/a/widgets/one' });
    read.identity = { user: { name: 'anna', groups: [] }, system: false, signal: new AbortController().signal };
    expect(await filter(read, async () => ({ status: 200, headers: {} }))).toMatchObject({ status: 200 });
    openGate();
    expect(await Promise.all(watches)).toEqual([200, 200]);
  });

  it('of a key with too many are refused, and those of other keys wait', async () => {
    // There is one slot, and 25 watches can wait in the queue.
    const filter = inFlightFilter({ clock: systemClock, reads: 1 });
    const { opened, open: openGate } = gate();
    const greedy = Array.from({ length: 35 }, () => open(filter, 'greedy', opened));
    await turn();
    const others = ['anna', 'bert', 'cleo'].map((name) => open(filter, name, opened));
    await turn();
    openGate();
    expect(await Promise.all(others)).toEqual([200, 200, 200]);
    const codes = await Promise.all(greedy);
    expect(codes.filter((code) => code === 200)).toHaveLength(23);
    expect(codes.filter((code) => code === 429)).toHaveLength(12);
  });
});
