import { type JsonObject, listAt } from '@flotilla/json';
import { dump, load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebhookTestServer } from '../controlplane/webhooks/webhook-server.fixture.ts';
import { OtlpTestReceiver, type ReceivedSpan } from '../process/tracing/otlp-receiver.fixture.ts';
import { gatewayPath } from './gateway.fixture.ts';
import { inPhase, instancesOf, waitForInstance } from './instances.fixture.ts';
import { groupPath, type RequestOptions, ServerTestEnv } from './server.fixture.ts';
import type { RunningServer } from './start-server.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpan = 'b7ad6b7169203331';
const sampled = { traceparent: `00-${traceId}-${callerSpan}-01` };

describe('tracing', () => {
  let receiver: OtlpTestReceiver;
  let bench: ServerTestEnv;

  beforeEach(async () => {
    receiver = await OtlpTestReceiver.start();
    bench = await ServerTestEnv.open();
  });

  afterEach(async () => {
    await bench.close();
    receiver.close();
  });

  const start = async (env = bench, tracing: JsonObject = {}, more: JsonObject = {}) =>
    await env.start(await env.settings({ tracing: { endpoint: receiver.url, sampleRatio: 0, ...tracing }, ...more }));

  const sendTo = async (
    server: RunningServer,
    path: string,
    call: RequestOptions & { headers?: Record<string, string> } = {},
  ) => {
    const response = await bench.request(server, path, call, { ...sampled, ...call.headers });
    return { code: response.statusCode, text: await response.body.text(), headers: response.headers };
  };

  const named = (name: string, service = 'flotilla'): ReceivedSpan => {
    const found = receiver.spans.filter((span) => span.name === name && span.service === service);
    expect(found, receiver.spans.map((span) => span.name).join('\n')).toHaveLength(1);
    return found[0] as ReceivedSpan;
  };

  it('continues the trace of an administrator from the request to the commit, with the audit ID', async () => {
    const server = await start();
    const body = { metadata: { name: 'anna' }, spec: { displayName: 'secret-display-name' } };
    const headers = { 'user-agent': 'checker/1', 'audit-id': 'audit-4711' };
    const path = `${groupPath}/users?fieldManager=secret-query`;
    expect((await sendTo(server, path, { method: 'POST', body, headers })).code).toBe(201);
    await bench.stop(server);
    const request = named('POST /kubernetes/management/apis/{group}/{version}/{resource}');
    expect(request).toMatchObject({
      traceId,
      parentSpanId: callerSpan,
      kind: 'SPAN_KIND_SERVER',
      service: 'flotilla',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/kubernetes/management/apis/{group}/{version}/{resource}',
        'http.response.status_code': '201',
        'user_agent.original': 'checker/1',
        'flotilla.audit_id': 'audit-4711',
        'flotilla.verb': 'create',
        'flotilla.resource': 'users',
      },
    });
    const commit = named('store commit');
    expect(commit).toMatchObject({ traceId, parentSpanId: request.spanId });
    expect(BigInt(commit.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(request.startTimeUnixNano));
    expect(BigInt(commit.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(request.endTimeUnixNano));
    const sent = JSON.stringify(receiver.spans);
    for (const secret of ['secret-', 'anna', await bench.adminKey()]) expect(sent).not.toContain(secret);
  });

  it('gives one trace to a request through the gateway, the worker thread, the webhook and the store', async () => {
    const hook = await WebhookTestServer.start(() => ({ allowed: true }));
    try {
      const server = await start(bench, {}, { planes: { webhookAddresses: ['127.0.0.0/8'] } });
      await bench.send(server, instancesOf('default'), { method: 'POST', body: { metadata: { name: 'demo' } } });
      await waitForInstance(bench, server, { name: 'demo' }, inPhase('Ready'));
      const configuration = {
        metadata: { name: 'check' },
        webhooks: [
          {
            name: 'check.example.com',
            clientConfig: { url: hook.url, caBundle: hook.caBundle },
            rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      };
      const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
      const created = await bench.send(server, `${gatewayPath('demo')}${configurations}`, {
        method: 'POST',
        body: configuration,
      });
      expect(created.code, created.text).toBe(201);
      const configMaps = `${gatewayPath('demo')}/api/v1/namespaces/default/configmaps`;
      const answer = await sendTo(server, configMaps, { method: 'POST', body: { metadata: { name: 'one' } } });
      expect(answer.code, answer.text).toBe(201);
      await bench.stop(server);
    } finally {
      hook.close();
    }
    const root = '/kubernetes/project/{project}/virtualcluster/{name}';
    const request = named(`POST ${root}/api/{version}/namespaces/{namespace}/{resource}`);
    const plane = named('control plane');
    expect(request).toMatchObject({ traceId, parentSpanId: callerSpan });
    expect(plane).toMatchObject({ traceId, parentSpanId: request.spanId });
    expect(named('store commit')).toMatchObject({ traceId, parentSpanId: plane.spanId });
    expect(named('admission webhook')).toMatchObject({
      traceId,
      parentSpanId: plane.spanId,
      kind: 'SPAN_KIND_CLIENT',
      attributes: { 'flotilla.webhook': 'check.example.com' },
    });
  });

  it('continues the trace in another cluster behind the gateway', async () => {
    const there = await ServerTestEnv.open();
    try {
      const target = await start(there, { serviceName: 'target' });
      const server = await start();
      const kubeconfig = load(await there.read('admin.kubeconfig')) as JsonObject;
      await bench.createObject(server, 'clusters', 'remote', {
        kubeconfig: dump({ ...kubeconfig, 'current-context': 'local' }),
      });
      const path = '/kubernetes/cluster/remote/api/v1/namespaces';
      expect((await sendTo(server, path)).code).toBe(200);
      const untraced = { traceparent: `00-${'1'.repeat(32)}-${callerSpan}-00` };
      expect((await sendTo(server, path, { headers: untraced })).code).toBe(200);
      await bench.stop(server);
      await there.stop(target);
    } finally {
      await there.close();
    }
    expect(new Set(receiver.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    const request = named('GET /kubernetes/cluster/{name}/api/{version}/{resource}');
    const forward = named('gateway forward');
    expect(request).toMatchObject({ parentSpanId: callerSpan });
    expect(forward).toMatchObject({ parentSpanId: request.spanId, kind: 'SPAN_KIND_CLIENT' });
    expect(named(request.name, 'target')).toMatchObject({ parentSpanId: forward.spanId });
  });

  it('does not let other callers choose which of their requests are traced', async () => {
    const server = await start();
    await bench.createObject(server, 'users', 'anna');
    const token = await bench.createKey(server, 'annas', { user: 'anna' });
    for (const scope of [{ token }, {}]) expect((await sendTo(server, '/version', scope)).code).toBe(200);
    expect((await sendTo(server, `${groupPath}/projects`, { token })).code).toBe(200);
    await bench.stop(server);
    expect(receiver.spans).toEqual([]);
  });

  it('traces requests of all callers who ask for it, if the settings say so', async () => {
    const server = await start(bench, { trustCallers: true });
    await bench.createObject(server, 'users', 'anna');
    const token = await bench.createKey(server, 'annas', { user: 'anna' });
    expect((await sendTo(server, `${groupPath}/projects`, { token })).code).toBe(200);
    await bench.stop(server);
    expect(named('GET /kubernetes/management/apis/{group}/{version}/{resource}')).toMatchObject({ traceId });
  });

  it('does not use methods that clients invent as names of spans', async () => {
    const server = await start();
    const token = await bench.adminKey();
    expect((await sendTo(server, '/kubernetes/management', { token, method: 'PROPFIND' as never })).code).not.toBe(200);
    await bench.stop(server);
    const names = receiver.spans.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('_OTHER '))).toHaveLength(1);
    expect(names.join()).not.toContain('PROPFIND');
  });

  it('counts spans in metrics, and serves requests while the receiver does not respond', async () => {
    receiver.respond = () => false;
    const server = await start(bench, { sampleRatio: 1 });
    for (let count = 0; count < 30; count++) expect((await bench.send(server, `${groupPath}/users`)).code).toBe(200);
    const { text } = await bench.send(server, '/metrics');
    expect(text).toMatch(/^flotilla_trace_spans_exported_total 0$/m);
    for (const reason of ['queue_full', 'rejected', 'not_sent']) {
      expect(text).toContain(`flotilla_trace_spans_dropped_total{reason="${reason}"}`);
    }
  });

  it('is off by default', async () => {
    const server = await bench.start();
    expect((await sendTo(server, `${groupPath}/users`)).code).toBe(200);
    expect((await bench.send(server, '/metrics')).text).not.toContain('flotilla_trace_spans');
    await bench.stop(server);
    expect(receiver.requests).toEqual([]);
  });

  it.each([
    [{ endpoint: 'http://collector.example.com:4318/v1/traces' }, '"endpoint" must use https'],
    [{ endpoint: 'ftp://collector.example.com' }, '"endpoint" must be a URL'],
    [{ endpoint: 'https://user:hidden@collector.example.com' }, 'must not contain a user or password'],
    [{ endpoint: 'https://collector.example.com', certFile: 'a' }, 'needs both "certFile" and "keyFile"'],
    [{ sampleRatio: 1.5 }, '"tracing.sampleRatio" must be a number from 0 to 1'],
  ])('refuses the settings %j', async (tracing, message) => {
    const flags = await bench.settings({ tracing });
    const starting = bench.start(flags);
    await expect(starting).rejects.toThrow(message);
    await expect(starting).rejects.not.toThrow('hidden');
  });

  it('accepts an endpoint without TLS if the settings allow it', async () => {
    const endpoint = 'http://collector.invalid:4318/v1/traces';
    const server = await bench.start(await bench.settings({ tracing: { endpoint, allowPlainHttp: true } }));
    expect(listAt((await bench.send(server, `${groupPath}/users`)).json, 'items')).not.toEqual([]);
  });
});
