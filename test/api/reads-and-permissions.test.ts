import { once } from 'node:events';
import { type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLines } from '../../src/lib/read-lines.ts';
import { isReconciled, waitForInstance } from '../../src/server/instances.fixture.ts';
import { groupPath, mergePatch, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const instances = `${groupPath}/namespaces/platform-p-default/virtualclusterinstances`;
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

describe('reads and permissions in the management API', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await make(name);
  });
  afterAll(() => bench.close());

  const post = (body: JsonValue): RequestOptions => ({ method: 'POST', body });

  /** Creates an instance and waits until the server has nothing more to write to it. */
  async function make(name: string, metadata: JsonObject = {}): Promise<JsonObject> {
    const answer = await bench.send(server, instances, post({ metadata: { name, ...metadata } }));
    expect(answer.code, answer.text).toBe(201);
    return await waitForInstance(bench, server, { name }, isReconciled);
  }

  const versionOf = (object: JsonValue) => textAt(object, 'metadata', 'resourceVersion');

  /** Reads events of a watch until `count` have come. */
  async function events(path: string, count: number): Promise<JsonObject[]> {
    const response = await bench.request(server, path);
    expect(response.statusCode).toBe(200);
    const seen: JsonObject[] = [];
    for await (const line of readLines(response.body)) {
      seen.push(JSON.parse(line));
      if (seen.length === count) break;
    }
    return seen;
  }

  it('every later read sees a write, by every path (CLIENT-10, GET-02)', async () => {
    const made = await make('fresh');
    const [got, listed, paged] = await Promise.all([
      bench.send(server, `${instances}/fresh`),
      bench.send(server, instances),
      bench.send(server, `${instances}?fieldSelector=metadata.name%3Dfresh`),
    ]);
    expect(got.json).toEqual(made);
    for (const list of [listed, paged]) {
      expect(listAt(list.json, 'items').map((item) => textAt(item, 'metadata', 'uid'))).toContain(
        textAt(made, 'metadata', 'uid'),
      );
      expect(Number(versionOf(list.json))).toBeGreaterThanOrEqual(Number(versionOf(made)));
    }
  });

  it('versions are increasing decimal numbers (CLIENT-09, META-15)', async () => {
    let last = 0n;
    for (const name of ['n1', 'n2', 'n3']) {
      const version = versionOf(await make(name));
      expect(version).toMatch(/^[1-9]\d*$/);
      expect(BigInt(version)).toBeGreaterThan(last);
      last = BigInt(version);
    }
  });

  it('every list item has its kind, and a list by name has one object (CLIENT-16, CLIENT-22, NEG-25)', async () => {
    const { json } = await bench.send(server, instances);
    expect(json.kind).toBe('VirtualClusterInstanceList');
    const names = listAt(json, 'items').map((item) => textAt(item, 'metadata', 'name'));
    expect(new Set(names).size).toBe(names.length);
    for (const item of listAt(json, 'items')) {
      expect(item).toMatchObject({ apiVersion: 'management.platform.sh/v1', kind: 'VirtualClusterInstance' });
    }
  });

  it('Tables are paged like lists, each page at the same version, without duplicates or gaps (TABLE-10, CLIENT-05, LIST-25, LIST-27)', async () => {
    const whole = await bench.send(server, instances);
    const seen: string[] = [];
    const versions = new Set<string>();
    let next = '';
    do {
      const path = `${instances}?limit=2&timeoutSeconds=1${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`;
      const page = await asTable(path);
      versions.add(versionOf(page));
      for (const row of listAt(page, 'rows')) seen.push(textAt(row, 'object', 'metadata', 'name'));
      next = textAt(page, 'metadata', 'continue');
      if (seen.length === 2) await make('between-pages');
    } while (next !== '');
    expect(versions.size).toBe(1);
    expect(seen).toEqual(listAt(whole.json, 'items').map((item) => textAt(item, 'metadata', 'name')));
  });

  async function asTable(path: string): Promise<JsonObject> {
    const response = await bench.request(server, path, {}, { accept: table });
    return (await response.body.json()) as JsonObject;
  }

  it('a watch of one object does not need the object to exist (WATCH-27, CLIENT-06)', async () => {
    const { json } = await bench.send(server, instances);
    const watching = events(
      `${instances}?watch=1&resourceVersion=${versionOf(json)}&fieldSelector=metadata.name%3Dlater`,
      2,
    );
    await make('someone-else');
    await make('later');
    await bench.send(server, `${instances}/later`, mergePatch({ metadata: { labels: { a: 'b' } } }));
    const seen = await watching;
    expect(seen.map((event) => `${event.type} ${textAt(event, 'object', 'metadata', 'name')}`)).toEqual([
      'ADDED later',
      'MODIFIED later',
    ]);
    for (const event of seen) expect(textAt(event, 'object', 'kind')).toBe('VirtualClusterInstance');
  });

  it('a watch resumes from any version of the last minutes (CLIENT-07, CLIENT-08)', async () => {
    const first = await make('resume-1');
    await make('resume-2');
    const seen = await events(`${instances}?watch=1&resourceVersion=${versionOf(first)}`, 1);
    expect(textAt(seen[0], 'object', 'metadata', 'name')).toBe('resume-2');
  });

  it('unknown parameters are ignored (CLIENT-25, REQ-22)', async () => {
    const { code, json } = await bench.send(server, `${instances}?shardSelector=x&nothing=here`);
    expect(code).toBe(200);
    expect(listAt(json, 'items').length).toBeGreaterThan(0);
  });

  it('an idle watch stays open (WATCH-34, CLIENT-21)', async () => {
    const { json } = await bench.send(server, instances);
    const response = await bench.request(
      server,
      `${instances}?watch=1&resourceVersion=${versionOf(json)}&timeoutSeconds=1`,
    );
    const started = performance.now();
    await once(response.body.resume(), 'end');
    expect(performance.now() - started).toBeGreaterThan(900);
  });

  it('PUT may change generateName, owners and labels, and never immutable fields (UPDATE-14, UPDATE-22, OWNER-04)', async () => {
    const made = await make('changing', { generateName: 'x-' });
    const metadata = made.metadata as JsonObject;
    const owner = {
      apiVersion: 'management.platform.sh/v1',
      kind: 'Project',
      name: 'default',
      uid: 'not-checked-here',
    };
    const changed = {
      ...made,
      metadata: {
        ...metadata,
        generateName: 'y-',
        labels: { a: 'b' },
        ownerReferences: [owner],
        finalizers: ['a.b/c'],
      },
    };
    const put = await bench.send(server, `${instances}/changing`, { method: 'PUT', body: changed });
    expect(put.code, put.text).toBe(200);
    expect(put.json).toMatchObject({ metadata: { generateName: 'y-', labels: { a: 'b' }, ownerReferences: [owner] } });
    const moved = { spec: { clusterRef: { cluster: 'another' } } };
    expect((await bench.send(server, `${instances}/changing`, mergePatch(moved))).json).toMatchObject({
      code: 422,
      message: expect.stringContaining('spec.clusterRef.cluster: Invalid value: "another": field is immutable'),
    });
  });

  it('authorization checks the verb, the subresource and the name of the request (AUTHZ-09, STATUS-08, DELETE-22, DELCOL-07, AUTHZ-10)', async () => {
    await bench.createObject(server, 'users', 'nobody');
    const token = await bench.createKey(server, 'nobodys', { user: 'nobody' });
    const asked = async (path: string, call: RequestOptions) =>
      (await bench.send(server, path, { ...call, token })).json.message;
    const denied = (verb: string, resource = 'virtualclusterinstances') =>
      expect.stringContaining(
        `User "nobody" cannot ${verb} resource "${resource}" in API group "management.platform.sh" in the namespace "platform-p-default"`,
      );
    expect(await asked(instances, {})).toEqual(denied('list'));
    expect(await asked(`${instances}?watch=1`, {})).toEqual(denied('watch'));
    expect(await asked(`${instances}/a`, {})).toEqual(denied('get'));
    expect(await asked(`${instances}/a`, { method: 'DELETE' })).toEqual(denied('delete'));
    expect(await asked(instances, { method: 'DELETE' })).toEqual(denied('deletecollection'));
    expect(await asked(`${instances}/a/status`, mergePatch({}))).toEqual(
      denied('patch', 'virtualclusterinstances/status'),
    );
  });

  it('every name of a kind is unique (DISC-19)', async () => {
    for (const path of ['/kubernetes/management/api/v1', groupPath]) {
      const { json } = await bench.send(server, path);
      const names = listAt(json, 'resources')
        .filter((resource) => !textAt(resource, 'name').includes('/'))
        .flatMap((resource) => [
          ...new Set([
            textAt(resource, 'name'),
            textAt(resource, 'singularName'),
            textAt(resource, 'kind').toLowerCase(),
            ...listAt(resource, 'shortNames').map(String),
          ]),
        ]);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});
