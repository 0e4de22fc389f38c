import { describe, expect, it } from 'vitest';
import { serviceUnavailable } from '../api/status.ts';
import { RequestEnd } from '../http/request/request-end.ts';
import { endWatchWithStatus } from './watch-termination.ts';

const json = { 'content-type': 'application/json' };

/** Reads a watch that sends these chunks and then fails with `failure`, if it is given. */
async function read(
  chunks: readonly string[],
  { failure, reason, headers = json }: { failure?: Error; reason?: Error; headers?: Record<string, string> } = {},
): Promise<readonly string[]> {
  const end = new RequestEnd();
  async function* body() {
    for (const chunk of chunks) yield Buffer.from(chunk, 'latin1');
    if (reason !== undefined) end.end(reason);
    if (failure !== undefined) throw failure;
  }
  const passed: string[] = [];
  for await (const chunk of endWatchWithStatus({ status: 200, headers, body: body() }, end)) {
    passed.push(Buffer.from(chunk).toString('latin1'));
  }
  return passed;
}

describe('a watch of a remote cluster', () => {
  const lost = new Error('the tunnel was closed');

  it('passes each event on as soon as its line is complete', async () => {
    expect(await read(['{"a":1}\n{"b"', ':2', '}\n', '{"c":3}\n'])).toEqual(['{"a":1}\n', '{"b":2}\n', '{"c":3}\n']);
    expect(await read(['{"a":1}\n{"b"'])).toEqual(['{"a":1}\n', '{"b"']);
  });

  it('ends after the last complete line if the connection to the cluster is lost', async () => {
    expect(await read(['{"a":1}\n{"b"'], { failure: lost })).toEqual(['{"a":1}\n']);
    expect(await read([], { failure: lost })).toEqual([]);
  });

  it('ends with a Status if the server ends it, also within a line', async () => {
    const reason = serviceUnavailable('it sleeps');
    const [first, last = ''] = await read(['{"a":1}\n{"b"'], { failure: lost, reason });
    expect([first, JSON.parse(last)]).toEqual(['{"a":1}\n', { type: 'ERROR', object: reason.status }]);
  });

  it('fails if its client has gone, or if its format is unknown', async () => {
    await expect(read(['{"a":1}\n'], { failure: lost, reason: new Error('gone') })).rejects.toThrow('tunnel');
    const headers = { 'content-type': 'application/cbor-seq' };
    await expect(read(['x'], { failure: lost, headers })).rejects.toThrow('tunnel');
  });

  describe('in protobuf', () => {
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf;stream=watch' };
    const frame = (text: string) => `\0\0\0${String.fromCharCode(text.length)}${text}`;

    it('ends after the last complete event if the connection to the cluster is lost', async () => {
      const [one, other] = [frame('one\n'), frame('other')];
      expect(await read([one, other], { failure: lost, headers })).toEqual([one, other]);
      // The chunks can split the events anywhere, even within the length of an event.
      for (let cut = 1; cut < other.length; cut++) {
        const passed = await read([one + other.slice(0, cut)], { failure: lost, headers });
        expect(passed.join(''), `${cut}`).toBe(one);
        const parts = [one + other.slice(0, cut), other.slice(cut) + one.slice(0, 2)];
        expect((await read(parts, { failure: lost, headers })).join(''), `${cut}`).toBe(one + other);
      }
      expect((await read([...(one + other)], { failure: lost, headers })).join('')).toBe(one + other);
      expect(await read([frame(''), frame('a')], { failure: lost, headers })).toEqual([frame(''), frame('a')]);
    });

    it('ends with a Status if the server ends it', async () => {
      const reason = serviceUnavailable('it sleeps');
      const [first, last = '', ...more] = await read([`${frame('a')}\0\0`], { failure: lost, reason, headers });
      expect([first, more]).toEqual([frame('a'), []]);
      expect(Buffer.from(last, 'latin1').readUInt32BE(0)).toBe(last.length - 4);
      expect(last).toMatch(/ERROR.*k8s.*Status.*it sleeps/s);
    });
  });
});
