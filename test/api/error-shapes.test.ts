import { listAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupPath, mergePatch, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const instances = `${groupPath}/namespaces/platform-p-default/virtualclusterinstances`;

describe('errors of the management API', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    await bench.send(server, instances, post({ metadata: { name: 'there' } }));
  });
  afterAll(() => bench.close());

  const post = (body: RequestOptions['body']): RequestOptions => ({
    method: 'POST',
    ...(body === undefined ? {} : { body }),
  });

  async function refusal(path: string, call: RequestOptions = {}) {
    const answer = await bench.send(server, path, call);
    expect(answer.json).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: answer.code,
    });
    return answer.json;
  }

  it('name the plural for errors about the object, and the Kind for errors about its content (ERR-02, ERR-03, ERR-04, ERR-05, ERR-07)', async () => {
    expect(await refusal(`${instances}/nowhere`)).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'virtualclusterinstances.management.platform.sh "nowhere" not found',
      details: { name: 'nowhere', group: 'management.platform.sh', kind: 'virtualclusterinstances' },
    });
    expect(await refusal(instances, post({ metadata: { name: 'there' } }))).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'virtualclusterinstances.management.platform.sh "there" already exists',
      details: { kind: 'virtualclusterinstances' },
    });
    expect(await refusal(instances, post({ metadata: { name: 'Upper' } }))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: {
        name: 'Upper',
        kind: 'VirtualClusterInstance',
        causes: [{ reason: 'FieldValueInvalid', field: 'metadata.name' }],
      },
    });
  });

  it('are reported together, in brackets, one cause per field (ERR-07, ERR-08, ERR-23, ERR-24, CREATE-32)', async () => {
    const body = {
      metadata: { name: 'many', labels: { 'a b': 'c' } },
      spec: { owner: { user: 'a', team: 'b' }, parameters: 'unknown: 1', templateRef: { name: 'missing' } },
    };
    const { message, details } = await refusal(instances, post(body));
    expect(message).toMatch(/is invalid: \[.*, .*\]$/);
    expect(listAt(details, 'causes').length).toBeGreaterThan(1);
    const fields = listAt(details, 'causes').map((cause) => (cause as { field: string }).field);
    expect(fields).toEqual(expect.arrayContaining(['spec.owner.team', 'spec.templateRef.name']));
  });

  it('name both sides of a conflict (ERR-06, CLIENT-11, CLIENT-13)', async () => {
    expect(await refusal(`${instances}/there`, mergePatch({ metadata: { resourceVersion: '1' } }))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on virtualclusterinstances.management.platform.sh "there": the object has been modified; please apply your changes to the latest version and try again',
    });
  });

  it('have only a message if the request cannot be decoded (ERR-14, SSA-04)', async () => {
    const broken = await refusal(instances, { method: 'POST', raw: '{' });
    expect(broken).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(broken).not.toHaveProperty('details');
    const apply = { method: 'PATCH', type: 'application/apply-patch+yaml', raw: '\t- : {' } as const;
    expect(await refusal(`${instances}/x?fieldManager=m`, apply)).toMatchObject({
      code: 400,
      message: expect.stringMatching(/^error decoding patch: /),
    });
  });

  it('have Retry-After if a retry helps, and only then (ERR-21, CLIENT-12, GET-04)', async () => {
    const future = await bench.request(server, `${instances}/there?resourceVersion=999999999`);
    expect(future.statusCode).toBe(504);
    expect(future.headers['retry-after']).toBe('1');
    await future.body.dump();
    const missing = await bench.request(server, `${instances}/nowhere`);
    expect(missing.headers['retry-after']).toBeUndefined();
    await missing.body.dump();
  });

  it('use only the reasons that clients know (ERR-22)', async () => {
    const known = new Set([
      'NotFound',
      'MethodNotAllowed',
      'BadRequest',
      'Invalid',
      'NotImplemented',
      'UnsupportedMediaType',
    ]);
    const calls: [string, RequestOptions][] = [
      [`${groupPath}/nothing`, {}],
      [instances, { method: 'PUT', body: {} }],
      [`${instances}?limit=x`, {}],
      [`${instances}?sendInitialEvents=true`, {}],
      [
        `${groupPath}/projects/default/importvirtualcluster`,
        post({ sourceVirtualCluster: { name: 'a', namespace: 'b', cluster: 'local' } }),
      ],
      [`${instances}/there`, { method: 'PATCH', type: 'application/strategic-merge-patch+json', body: {} }],
    ];
    for (const [path, call] of calls) expect(known).toContain((await refusal(path, call)).reason);
  });

  it('reject each invalid option with its own options kind (CREATE-26, PATCH-21, DELETE-24, UPDATE-21)', async () => {
    expect(await refusal(`${instances}?dryRun=true`, post({ metadata: { name: 'x' } }))).toMatchObject({
      code: 422,
      message: 'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["true"]: supported values: "All"',
    });
    expect(await refusal(`${instances}/there?force=true`, mergePatch({}))).toMatchObject({
      message: 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    });
    const large = { method: 'DELETE', raw: `{"kind":"DeleteOptions","x":"${'x'.repeat(3_145_728)}"}` } as const;
    expect((await refusal(`${instances}/there`, large)).code).toBe(413);
    const other = { apiVersion: 'other/v1', kind: 'VirtualClusterInstance', metadata: { name: 'there' } };
    expect(await refusal(`${instances}/there`, { method: 'PUT', body: other })).toMatchObject({
      code: 400,
      message:
        'the API version in the data (other/v1) does not match the expected API version (management.platform.sh/v1)',
    });
  });
});
