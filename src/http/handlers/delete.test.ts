import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestHttpServer } from '../../../test/harness/test-http-server.ts';
import { isDryRunEvent } from '../../api/audit/audit-event.ts';

const widgets = '/apis/example.dev/v1/namespaces/a/widgets';

let server: TestHttpServer;
beforeAll(async () => {
  server = await TestHttpServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.plane.objects.clear();
  server.plane.calls.length = 0;
});

describe('delete', () => {
  it('the response is a Status if the object is gone, the object if deletion is pending (DELETE-06, DELETE-07, ERR-25)', async () => {
    server.plane.put('a', 'x');
    const gone = await server.request('DELETE', `${widgets}/x`);
    expect([gone.status, gone.json]).toEqual([
      200,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'x', group: 'example.dev', kind: 'widgets', uid: 'uid-x' },
      },
    ]);
    server.plane.put('a', 'y', { metadata: { name: 'y', namespace: 'a', finalizers: ['f/f'] } });
    const pending = await server.request('DELETE', `${widgets}/y`);
    expect([pending.status, pending.json.kind]).toEqual([200, 'Widget']);
    const orphan = await server.request('DELETE', `${widgets}/y`, { body: '{"orphanDependents":false}' });
    expect(orphan.status).toBe(202);
  });

  it('a JSON or YAML body replaces the query (DELETE-01, DELETE-02)', async () => {
    for (const [type, body] of [
      [
        'application/json',
        '{"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":5,"preconditions":{"uid":"u"}}',
      ],
      [
        'application/yaml',
        'kind: DeleteOptions\napiVersion: example.dev/v1\ngracePeriodSeconds: 5\npreconditions: {uid: u}\n',
      ],
    ] as const) {
      server.plane.put('a', 'x');
      await server.request('DELETE', `${widgets}/x?gracePeriodSeconds=9`, { headers: { 'content-type': type }, body });
      expect(server.plane.calls.at(-1)?.options).toEqual({
        dryRun: false,
        gracePeriodSeconds: 5,
        propagationPolicy: undefined,
        preconditions: { uid: 'u' },
      });
    }
  });

  it('the query applies without a body, also with a content type (DELETE-01, DELETE-17, DELETE-18, DELETE-23)', async () => {
    server.plane.put('a', 'x');
    const query = '?gracePeriodSeconds=-3&orphanDependents=true&dryRun=All&resourceVersion=7';
    await server.request('DELETE', `${widgets}/x${query}`, { headers: { 'content-type': 'application/json' } });
    expect(server.plane.calls.at(-1)?.options).toEqual({
      dryRun: true,
      gracePeriodSeconds: 1,
      propagationPolicy: 'Orphan',
      preconditions: { resourceVersion: '7' },
    });
  });

  it('is marked as a dry run in the audit log only if it is one', async () => {
    const isMarked = async (query: string, body?: string) => {
      server.plane.put('a', 'x');
      await server.request('DELETE', `${widgets}/x${query}`, body === undefined ? {} : { body });
      const event = server.auditLog.events.at(-1);
      return [server.plane.calls.at(-1)?.options, event !== undefined && isDryRunEvent(event)];
    };
    expect(await isMarked('?dryRun=All')).toMatchObject([{ dryRun: true }, true]);
    expect(await isMarked('', '{"dryRun":["All"]}')).toMatchObject([{ dryRun: true }, true]);
    expect(await isMarked('?dryRun=All', '{}')).toMatchObject([{ dryRun: false }, false]);
  });

  it('other kinds, contradictions and unknown policies are rejected (DELETE-03 to DELETE-05)', async () => {
    const message = async (body: string) => {
      const { status, json } = await server.request('DELETE', `${widgets}/x`, { body });
      return `${status} ${json.message}`;
    };
    expect(await message('{"kind":"Widget"}')).toBe('400 decoded object cannot be converted to DeleteOptions');
    expect(await message('[]')).toBe('400 decoded object cannot be converted to DeleteOptions');
    expect(await message('{"gracePeriodSeconds":"5"}')).toBe(
      '400 json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    );
    expect(await message('{')).toBe("400 couldn't get version/kind; json parse error: unexpected end of JSON input");
    expect(await message('{"orphanDependents":true,"propagationPolicy":"Orphan"}')).toBe(
      '422 DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    );
    expect(await message('{"propagationPolicy":"x"}')).toContain('propagationPolicy: Unsupported value: "x"');
  });

  it('deleting a collection returns its list (DELCOL-02, DELCOL-06)', async () => {
    server.plane.put('a', 'x');
    const { status, json } = await server.request('DELETE', `${widgets}?labelSelector=a%3Db`);
    expect([status, json.kind, json.items.length]).toEqual([200, 'WidgetList', 1]);
    expect((await server.request('DELETE', `${widgets}?labelSelector=%3D%3D`)).status).toBe(400);
  });
});

describe('list options', () => {
  it('invalid numbers are rejected with the message of Go (REQ-22)', async () => {
    for (const name of ['limit', 'timeoutSeconds']) {
      const { status, json } = await server.request('GET', `${widgets}?${name}=x&unknown=1`);
      expect([status, json.message]).toEqual([400, 'strconv.ParseInt: parsing "x": invalid syntax']);
    }
    expect((await server.request('DELETE', `${widgets}/x?gracePeriodSeconds=1.5`)).json.message).toBe(
      'strconv.ParseInt: parsing "1.5": invalid syntax',
    );
    expect((await server.request('GET', `${widgets}?limit=9223372036854775808`)).json.message).toBe(
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    );
  });

  it('contradictions are rejected (LIST-07, LIST-11, WATCH-10)', async () => {
    expect((await server.request('GET', `${widgets}?resourceVersionMatch=Exact`)).json.message).toBe(
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    );
    expect((await server.request('GET', `${widgets}?sendInitialEvents=true`)).status).toBe(422);
    expect((await server.request('GET', `${widgets}?watch=1&sendInitialEvents=true`)).status).toBe(422);
  });

  it('unsupported selector fields are rejected (SEL-08, SEL-09)', async () => {
    expect((await server.request('GET', `${widgets}?fieldSelector=spec.size%3D1`)).json.message).toBe(
      'field label not supported: spec.size',
    );
    expect((await server.request('GET', `${widgets}?fieldSelector=x`)).status).toBe(400);
  });

  it('the export parameter is rejected (REQ-23)', async () => {
    const { status, json } = await server.request('GET', `${widgets}/x?export=true`);
    expect([status, json.message]).toEqual([
      400,
      'the export parameter, deprecated since v1.14, is no longer supported',
    ]);
    server.plane.put('a', 'x');
    expect((await server.request('GET', `${widgets}/x?export=false`)).status).toBe(200);
  });
});
