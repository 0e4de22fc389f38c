import { type JsonObject, listAt, objectAt, textAt, textsAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inPhase, instancesOf, waitForInstance } from '../../src/server/instances.fixture.ts';
import { ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

/**
 * The behavior that a form for virtual clusters relies on: it validates by dry run and shows each problem at its field.
 */
describe('a form for a virtual cluster', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  let anna: string;

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    await bench.createObject(server, 'virtualclustertemplates', 'shop', {
      parameters: [
        { variable: 'title', label: 'Title', required: true },
        { variable: 'replicas', type: 'number', min: 1, max: 5, defaultValue: '1' },
        { variable: 'size', options: ['small', 'large'], defaultValue: 'small' },
        { variable: 'database.host', validation: '^[a-z.]+$' },
        { variable: 'database.password', type: 'password', validation: '^.{12,}$' },
        { variable: 'debug', type: 'boolean' },
      ],
      template: {},
    });
    await bench.createObject(server, 'users', 'anna');
    const member = { kind: 'User', name: 'anna', clusterRole: 'platform-management-project-user' };
    for (const name of ['red', 'blue']) {
      await bench.createObject(server, 'projects', name, {
        members: [member],
        allowedClusters: [{ name: 'local' }],
        allowedTemplates: [{ name: 'shop' }],
      });
    }
    anna = await bench.createKey(server, 'of-anna', { user: 'anna' });
  });
  afterAll(() => bench.close());

  const tryOut = (parameters: string, name = 'one', annotations: JsonObject = {}) =>
    bench.send(server, `${instancesOf('red')}?dryRun=All`, {
      method: 'POST',
      token: anna,
      body: { metadata: { name, annotations }, spec: { templateRef: { name: 'shop' }, parameters } },
    });

  it('gets every problem from a dry run, each with its field', async () => {
    const { code, json, text } = await tryOut(
      'replicas: 9\nsize: huge\ndatabase:\n  host: "NOT A HOST"\n  password: too-short\ndebug: maybe\ncolour: red\n',
      'Wrong_Name',
      { 'sleepmode.platform.sh/sleep-after': 'soon' },
    );
    expect(code, text).toBe(422);
    const causes = listAt(json, 'details', 'causes');
    expect(causes.map((cause) => [textAt(cause, 'field'), textAt(cause, 'reason')]).sort()).toEqual([
      ['metadata.annotations[sleepmode.platform.sh/sleep-after]', 'FieldValueInvalid'],
      ['metadata.name', 'FieldValueInvalid'],
      ['spec.parameters.colour', 'FieldValueForbidden'],
      ['spec.parameters.database.host', 'FieldValueInvalid'],
      ['spec.parameters.database.password', 'FieldValueInvalid'],
      ['spec.parameters.debug', 'FieldValueTypeInvalid'],
      ['spec.parameters.replicas', 'FieldValueInvalid'],
      ['spec.parameters.size', 'FieldValueNotSupported'],
      ['spec.parameters.title', 'FieldValueRequired'],
    ]);
    expect(text).not.toContain('too-short');
    expect(causes.every((cause) => textAt(cause, 'message') !== '')).toBe(true);
  });

  it('gets a problem of invalid YAML at the field as a whole', async () => {
    const { json } = await tryOut('a: [');
    expect(listAt(json, 'details', 'causes')).toMatchObject([{ field: 'spec.parameters' }]);
  });

  it('sees in the result of a dry run what would be created, and nothing is created', async () => {
    const { code, json } = await tryOut('title: "shop of anna"');
    expect(code).toBe(201);
    expect(objectAt(json, 'spec', 'clusterRef')).toMatchObject({ cluster: 'local' });
    expect((await bench.send(server, `${instancesOf('red')}/one`)).code).toBe(404);
  });

  it('lists the instances of all projects that the caller sees as a Table with the objects’ metadata', async () => {
    for (const project of ['red', 'blue']) {
      await bench.send(server, instancesOf(project), {
        method: 'POST',
        token: anna,
        body: { metadata: { name: 'mine' }, spec: { templateRef: { name: 'shop' }, parameters: 'title: x' } },
      });
      await waitForInstance(bench, server, { project, name: 'mine' }, inPhase('Ready'));
    }
    const everywhere = instancesOf('red').replace('/namespaces/platform-p-red', '');
    const answer = await bench.request(
      server,
      everywhere,
      { token: anna },
      { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    );
    const table = (await answer.body.json()) as JsonObject;
    expect(listAt(table, 'columnDefinitions').map((column) => textAt(column, 'name'))).toEqual([
      'Name',
      'Status',
      'Cluster',
      'Template',
      'Version',
      'Owner',
      'Age',
      'Host Namespace',
      'Message',
    ]);
    const rows = listAt(table, 'rows');
    const metadata = rows.map((row) => objectAt(row, 'object', 'metadata'));
    expect(metadata.map((each) => `${each?.namespace}/${each?.name}`).sort()).toEqual([
      'platform-p-blue/mine',
      'platform-p-red/mine',
    ]);
    expect(metadata.every((each) => textAt(each, 'uid') !== '' && textAt(each, 'resourceVersion') !== '')).toBe(true);
    expect(rows.map((row) => textsAt(row, 'cells').slice(0, 4))).toEqual([
      ['mine', 'Ready', 'local', 'shop'],
      ['mine', 'Ready', 'local', 'shop'],
    ]);
  });
});
