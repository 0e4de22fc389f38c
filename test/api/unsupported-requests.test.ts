import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instancesOf } from '../../src/server/instances.fixture.ts';
import { groupPath, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

describe('requests of the vCluster command line that the server does not support', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
  });
  afterAll(() => bench.close());

  it.each([
    [`${groupPath}/clusters/local/accesskey`, 'clusters/accesskey', /only hashes .* flotilla cluster agent-key$/],
    [
      `${instancesOf('default')}/demo/accesskey`,
      'virtualclusterinstances/accesskey',
      /have no access keys; .* flotilla import$/,
    ],
  ])('GET %s gets 405 with the reason and an alternative', async (path, resource, reason) => {
    const { code, json } = await bench.send(server, path);
    expect(code).toBe(405);
    expect(json.message).toMatch(`get is not supported on resources of kind "${resource}.management.platform.sh"`);
    expect(json.message).toMatch(reason);
  });

  it('are not in discovery', async () => {
    const { json } = await bench.send(server, groupPath);
    const verbs = new Map(
      listAt(json, 'resources').map((one) => [textAt(one, 'name'), (one as JsonObject).verbs] as const),
    );
    expect(verbs.get('clusters/accesskey')).toEqual(['create']);
    expect(verbs.has('virtualclusterinstances/accesskey')).toBe(false);
  });
});
