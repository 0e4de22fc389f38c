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
    for (const chunk of chunks) yield Buffer.from(chunk);
    if (reason !== undefined) end.end(reason);
    if (failure !== undefined) throw failure;
  }
  const passed: string[] = [];
  for await (const chunk of endWatchWithStatus({ status: 200, headers, body: body() }, end)) {
    passed.push(Buffer.from(chunk).toString());
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

  it('fails if its client has gone, or if its lines are unknown', async () => {
    await expect(read(['{"a":1}\n'], { failure: lost, reason: new Error('gone') })).rejects.toThrow('tunnel');
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf;stream=watch' };
    await expect(read(['x'], { failure: lost, headers })).rejects.toThrow('tunnel');
  });
});
