import { describe, expect, it } from 'vitest';
import { incomingRequest } from '../../../test/harness/exchange.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { parseRequestInfo } from '../../http/request/request-info.ts';
import { ManualClock } from '../../lib/clock.ts';
import { ForwardedRequests } from './forwarded-requests.ts';
import type { ForwardedRequest } from './plane-messages.ts';

const { signal } = new AbortController();
const path = '/api/v1/namespaces/default/configmaps';

function forwardedRequest(
  id: number,
  planeId: string,
  caller: string,
  { query = '', project }: { readonly query?: string; readonly project?: string } = {},
): [ForwardedRequest, Identity] {
  const { method, httpVersion, webSocket, remoteAddress } = incomingRequest();
  const user = { name: caller, groups: [] };
  const forwarded = {
    accessKey: undefined,
    responsible: undefined,
    fairQueueKey: undefined,
    mustPreauthorize: false,
    credential: undefined,
  };
  return [
    {
      id,
      planeId,
      project,
      method,
      url: `${path}?${query}`,
      headers: {},
      httpVersion,
      webSocket,
      remoteAddress,
      info: parseRequestInfo(method, path, new URLSearchParams(query)),
      identity: { user, system: false, ...forwarded },
      tokenDigest: undefined,
      fence: undefined,
      span: undefined,
      auditLevel: undefined,
      body: undefined,
    },
    { user, system: false, signal },
  ];
}

/** Opens a worker whose planes execute each request with `serve`. */
function openWorker(serve: (exchange: Exchange, planeId: string) => Promise<Reply>) {
  const clock = new ManualClock();
  const requests = new ForwardedRequests({
    clock,
    openPlane: async (planeId) => ({
      target: {
        authorize: () => ({ allowed: true, reason: '' }),
        authenticate: async () => undefined,
        serve: (exchange) => serve(exchange, planeId),
      },
      release() {},
    }),
    onWork() {},
    readBody: () => Promise.reject(new Error('not expected in this test')),
    sendStreams() {},
  });
  return { clock, requests };
}

describe('the requests to the planes of one worker', () => {
  it('share its time equally between planes, however many requests and callers a plane has', async () => {
    const served: string[] = [];
    const { clock, requests } = openWorker(async (_exchange, planeId) => {
      clock.advance(5);
      served.push(planeId);
      return { status: 200, headers: {} };
    });
    const sent: Promise<unknown>[] = [];
    const send = (planeId: string, caller: string) =>
      sent.push(requests.serve(...forwardedRequest(sent.length, planeId, caller)));
    for (let number = 0; number < 400; number++) send('busy', `user-${number % 20}`);
    for (let number = 0; number < 20; number++) send('quiet', 'jane');
    await Promise.all(sent);
    expect(served).toHaveLength(420);
    expect(served.slice(0, 40).filter((planeId) => planeId === 'quiet').length).toBeGreaterThanOrEqual(18);
  });

  it('share its time equally between projects, however many virtual clusters a project has', async () => {
    const served: string[] = [];
    const { clock, requests } = openWorker(async (_exchange, planeId) => {
      clock.advance(5);
      served.push(planeId);
      return { status: 200, headers: {} };
    });
    const sent: Promise<unknown>[] = [];
    const send = (planeId: string, project: string) =>
      sent.push(requests.serve(...forwardedRequest(sent.length, planeId, 'jane', { project })));
    for (let number = 0; number < 400; number++) send(`large-${number % 20}`, 'large');
    for (let number = 0; number < 30; number++) send('small-1', 'small');
    for (let number = 0; number < 10; number++) send('small-2', 'small');
    await Promise.all(sent);
    expect(served).toHaveLength(440);
    const early = served.slice(0, 40);
    const count = (prefix: string) => early.filter((planeId) => planeId.startsWith(prefix)).length;
    expect(count('small')).toBeGreaterThanOrEqual(18);
    expect(count('small-2')).toBeGreaterThanOrEqual(8);
    expect(count('large')).toBeGreaterThanOrEqual(18);
    expect(new Set(early.filter((planeId) => planeId.startsWith('large'))).size).toBeGreaterThanOrEqual(16);
  });

  it('are served before watches that are being opened, which get a quarter of the time', async () => {
    const served: string[] = [];
    const { clock, requests } = openWorker(async ({ info }) => {
      clock.advance(5);
      served.push(info.verb);
      return { status: 200, headers: {} };
    });
    const sent: Promise<unknown>[] = [];
    const send = (caller: string, query: string) =>
      sent.push(requests.serve(...forwardedRequest(sent.length, 'plane', caller, { query })));
    for (let number = 0; number < 200; number++) send(`watcher-${number}`, 'watch=true');
    for (let number = 0; number < 60; number++) send('jane', '');
    await Promise.all(sent);
    expect(served.slice(0, 80).filter((verb) => verb === 'watch').length).toBeLessThanOrEqual(21);
    expect(served.filter((verb) => verb === 'watch')).toHaveLength(200);
  });
});

describe('the details of a request', () => {
  it.each([
    [undefined, undefined, undefined],
    ['Metadata', undefined, undefined],
    ['Request', { sent: 1 }, undefined],
    ['RequestResponse', { sent: 1 }, { received: 1 }],
  ] as const)('at the audit level %s contain only the bodies that it includes', async (auditLevel, sent, received) => {
    const built: string[] = [];
    const audited = (name: string) => ({
      kind: {},
      value() {
        built.push(name);
        return { [name]: 1 };
      },
    });
    const { requests } = openWorker(async (exchange) => {
      exchange.auditedRequest = audited('sent');
      exchange.auditedResponse = audited('received');
      return { status: 200, headers: {} };
    });
    const [request, identity] = forwardedRequest(1, 'plane', 'jane');
    const { details } = await requests.serve({ ...request, auditLevel }, identity);
    expect([details.auditedRequest, details.auditedResponse]).toEqual([sent, received]);
    expect(built).toHaveLength([sent, received].filter((body) => body !== undefined).length);
  });
});
