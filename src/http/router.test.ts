import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { incomingRequest } from '../../test/harness/exchange.ts';
import { TestHttpServer } from '../../test/harness/test-http-server.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import type { Handler } from './exchange.ts';
import { router } from './router.ts';

describe('mounts', () => {
  const named =
    (name: string): Handler =>
    async () => ({ status: 200, headers: {}, body: name });
  const route = router({
    clock: systemClock,
    log: silentLog,
    mounts: [
      { prefix: '/k/management', handler: named('management') },
      { prefix: '/version', exact: true, handler: named('version') },
      { prefix: '/', handler: named('root') },
    ],
  });
  const to = async (url: string) => {
    const reply = await route(incomingRequest({ url }));
    return reply.status === 200 ? reply.body : reply.status;
  };

  it.each([
    ['/k/management', 'management'],
    ['/k/management/', 'management'],
    ['/k/management/apis?x=/version', 'management'],
    ['/k/managementx', 404],
    ['/k/Management', 404],
    ['/k', 404],
    ['/version', 'version'],
    ['/version?timeout=1s', 'version'],
    ['/version/x', 404],
    ['/', 'root'],
    ['/?a=b', 'root'],
    ['/k%2Fmanagement', 404],
    ['/version/../k/management', 404],
    ['/k/./management', 404],
    ['/k/management/../../version', 'management'],
  ])('%s is served by %s, segment by segment', async (url, expected) => {
    expect(await to(url)).toBe(expected);
  });
});

describe('the URL space (completions §1)', () => {
  let server: TestHttpServer;
  beforeAll(async () => {
    server = await TestHttpServer.start();
  });
  afterAll(() => server.stop());

  it('an unknown path gets a 404 Status', async () => {
    const { status, json } = await server.request('GET', '//nowhere');
    expect([status, json.kind, json.message]).toEqual([
      404,
      'Status',
      'the server could not find the requested resource',
    ]);
  });

  it('authentication comes before the 501 of a part that does not exist', async () => {
    expect((await server.request('GET', '//kubernetes/cluster/local/api', { token: undefined })).status).toBe(401);
    const { status, json } = await server.request('GET', '//kubernetes/cluster/local/api');
    expect([status, json.reason]).toEqual([501, 'NotImplemented']);
  });

  it('public paths are served, and their timeout is validated (REQ-15)', async () => {
    expect((await server.request('GET', '//version', { token: undefined })).status).toBe(200);
    expect((await server.request('GET', '//version?timeout=soon', { token: undefined })).status).toBe(400);
  });

  it('paths that cannot be decoded are rejected', async () => {
    expect((await server.request('GET', '//kubernetes/%zz')).status).toBe(400);
    expect((await server.request('GET', '/apis/example.dev/v1/namespaces/a/widgets/%ff')).status).toBe(400);
  });
});
