import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/api/audit/audit-event.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const rules = `
audit:
  rules:
    - level: Metadata
      outcome: refused
    - level: RequestResponse
      resources: [{ group: management.platform.sh, resources: [projects] }]
    - level: Request
      verbs: [create, update, patch, delete]
`;

describe('the audit log', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  let scoped: string;
  let marks = 0;

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    const config = join(bench.root, 'flotilla.yaml');
    await writeFile(config, rules);
    server = await bench.start({ config });
    for (const name of ['red', 'blue']) {
      await bench.createObject(server, 'projects', name, {
        allowedClusters: [{ name: '*' }],
        allowedTemplates: [{ name: '*' }],
      });
    }
    scoped = await bench.createKey(server, 'for-red', { scope: { projects: [{ project: 'red' }] } });
  });
  afterAll(() => bench.close());

  /** Returns the audit lines that one request adds. */
  async function linesOf(path: string, call: Parameters<ServerTestEnv['request']>[2] = {}): Promise<AuditEvent[]> {
    const auditId = `mark-${marks++}`;
    const answer = await bench.request(server, path, call, { 'audit-id': auditId, 'user-agent': 'tester/1' });
    await answer.body.dump();
    const lines = (await bench.read('audit.log')).trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as AuditEvent).filter((line) => line.auditID === auditId);
  }

  const instancesOf = (project: string) => `${groupPath}/namespaces/platform-p-${project}/virtualclusterinstances`;
  const create = (body: JsonObject, token?: string) => ({ method: 'POST', body, ...(token ? { token } : {}) }) as const;

  it('records the caller, the key and its scope, the source, the action, the object, the authorization reason and the result', async () => {
    const [before, after, ...more] = await linesOf(instancesOf('red'), create({ metadata: { name: 'one' } }, scoped));
    expect(more).toEqual([]);
    expect(before).toMatchObject({ stage: 'RequestReceived', verb: 'create', accessKey: 'for-red' });
    expect(before?.responseStatus).toBeUndefined();
    expect(after).toMatchObject({
      stage: 'ResponseComplete',
      level: 'Request',
      user: { username: 'admin' },
      accessKey: 'for-red',
      sourceIPs: ['127.0.0.1'],
      userAgent: 'tester/1',
      objectRef: { resource: 'virtualclusterinstances', namespace: 'platform-p-red', name: 'one' },
      responseStatus: { code: 201 },
      decision: { allowed: true, scopes: ['{"projects":[{"project":"red"}]}'] },
      requestObject: { metadata: { name: 'one' } },
    });
    expect(after?.decision?.reason).toMatch(/scope/);
    expect(after?.responseObject).toBeUndefined();
  });

  it('names the created object, also for a generated name, and no object that was not created', async () => {
    const [, named] = await linesOf(`${groupPath}/ownedaccesskeys`, create({ metadata: { name: 'made' } }));
    expect(named?.objectRef?.name).toBe('made');
    const [, chosen] = await linesOf(`${groupPath}/ownedaccesskeys`, create({ metadata: { generateName: 'ci-' } }));
    expect(chosen?.objectRef?.name).toMatch(/^ci-.{5}$/);
    const [, refused] = await linesOf(`${groupPath}/ownedaccesskeys`, create({ metadata: { name: 'made' } }));
    expect(refused).toMatchObject({ responseStatus: { code: 409 } });
    expect(refused?.objectRef?.name).toBeUndefined();
  });

  it('records the reason of a refusal', async () => {
    const lines = await linesOf(instancesOf('blue'), { token: scoped });
    expect(lines).toMatchObject([
      {
        level: 'Metadata',
        responseStatus: { code: 403, reason: 'Forbidden' },
        decision: { allowed: false, reason: 'outside of the scope of the access key' },
      },
    ]);
  });

  it('records the response where a rule requires it, and nothing of kinds that hold secrets', async () => {
    const path = `${groupPath}/projects/red`;
    const [, patched] = await linesOf(path, mergePatch({ spec: { displayName: 'Red' } }));
    expect(patched).toMatchObject({
      requestObject: { spec: { displayName: 'Red' } },
      responseObject: { metadata: { name: 'red' }, spec: { displayName: 'Red' } },
    });
    const [, user] = await linesOf(`${groupPath}/users`, create({ metadata: { name: 'anna' } }));
    expect(user?.requestObject).toBe('[redacted]');
  });

  it('records nothing for requests that match no rule', async () => {
    expect(await linesOf(instancesOf('red'))).toEqual([]);
  });
});
