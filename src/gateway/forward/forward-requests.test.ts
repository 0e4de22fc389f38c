import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import { textAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { expired } from '../../api/status.ts';
import { deferred, demoInstancePath, ForwardingTestEnv, farClusterPath } from '../forwarding.fixture.ts';

describe('a forwarded request', () => {
  const at = ForwardingTestEnv.forEach();
  const last = () => at.state.seen.at(-1);
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('arrives unchanged under the caller’s name, and its response returns unchanged (completions §8)', async () => {
    at.state.respond = (asked, response) => {
      response.writeHead(207, { 'content-type': 'text/odd', 'x-odd': ['a', 'b'] });
      asked.pipe(response);
    };
    for (const root of [farClusterPath, demoInstancePath]) {
      const path = '/api/v1/namespaces/a%3Ab/configmaps/x?dryRun=All&fieldManager=%C3%A9';
      const { code, text, headers } = await at.request(`${root}${path}`, {
        method: 'PUT',
        body: 'what it is',
        headers: { 'content-type': 'application/odd', accept: 'text/odd', 'x-mine': 'yes' },
      });
      expect([code, text, headers['content-type'], headers['x-odd']]).toEqual([
        207,
        'what it is',
        'text/odd',
        ['a', 'b'],
      ]);
      expect(last()).toMatchObject({
        method: 'PUT',
        url: path,
        headers: {
          authorization: 'Bearer host-credential',
          'impersonate-user': 'anna',
          'content-type': 'application/odd',
          accept: 'text/odd',
          'x-mine': 'yes',
          'content-length': '10',
        },
      });
    }
  });

  it('carries the roles that the instance grants and no system groups (completions §8)', async () => {
    const groups = () => last()?.headers['impersonate-group'];
    await at.request(`${farClusterPath}/api`);
    expect(groups()).toBe('testers, system:authenticated');
    await at.request(`${demoInstancePath}/api`);
    expect(groups()).toBe('testers, system:authenticated, platform:role:cluster-admin');
    await at.request(`${demoInstancePath}/api`, { token: 'root-token' });
    expect(groups()).toBe('platform:admins, system:authenticated, system:masters');
  });

  it('drops the client’s identity and hop-by-hop headers (completions §8)', async () => {
    const kept = { 'x-app': 'a', 'if-none-match': '"x"', 'kubectl-command': 'get' };
    const leaked = {
      cookie: 'session=1',
      'proxy-authorization': 'Basic x',
      'x-remote-user': 'root',
      'x-remote-group': 'system:masters',
      'x-remote-extra-a': 'b',
      'x-forwarded-for': '10.0.0.1',
      forwarded: 'for=10.0.0.1',
      'x-real-ip': '10.0.0.1',
      te: 'trailers',
      'x-hop': 'secret',
    };
    const lines = Object.entries({ ...kept, ...leaked }).map(([name, value]) => `${name}: ${value}\r\n`);
    for (const root of [farClusterPath, demoInstancePath]) {
      await at.rawResponse(
        `GET ${root}/api HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer anna-token\r\nConnection: close, X-Hop\r\n${lines.join('')}\r\n`,
      );
      const { headers = {} } = last() ?? {};
      expect(headers).toMatchObject(kept);
      for (const name of Object.keys(leaked)) expect(headers[name], name).toBeUndefined();
      expect(headers.host).not.toBe('here');
      expect(JSON.stringify(headers)).not.toContain('anna-token');
    }
  });

  it('returns no headers that a browser would attribute to this server (completions §8)', async () => {
    at.state.respond = (_asked, response) => {
      response.writeHead(302, {
        'set-cookie': 'session=evil',
        'strict-transport-security': 'max-age=0',
        'alt-svc': 'h2="evil:443"',
        'clear-site-data': '"*"',
        nel: '{"report_to":"x","max_age":1000,"success_fraction":1}',
        'report-to': '{"group":"x","max_age":1000,"endpoints":[{"url":"https://evil"}]}',
        'set-login': 'logged-out',
        'audit-id': 'forged',
        connection: 'x-hop',
        'x-hop': 'secret',
        location: '/api/v1/namespaces/other',
        warning: '299 - "old"',
      });
      response.end();
    };
    const { code, headers } = await at.request(`${demoInstancePath}/api`);
    expect(code).toBe(302);
    expect(headers.location).toBe(`${demoInstancePath}/api/v1/namespaces/other`);
    expect(headers.warning).toBe('299 - "old"');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['audit-id']).not.toBe('forged');
    expect(headers['audit-id']).toBe(last()?.headers['audit-id']);
    const words = ['set-cookie', 'strict-transport-security', 'alt-svc', 'clear-site-data', 'nel', 'report-to'];
    for (const name of [...words, 'set-login', 'x-hop']) expect(headers[name], name).toBeUndefined();
  });

  it('does not loop', async () => {
    await at.request(`${farClusterPath}/api`, { headers: { via: '1.1 somebody, 1.1 flotilla-0' } });
    const via = String(last()?.headers.via);
    expect(via).toMatch(/^1\.1 flotilla-[0-9a-f-]{36}$/);
    // Simulates a cluster whose address leads back to this server.
    for (const root of [farClusterPath, demoInstancePath]) {
      const { code, json } = await at.request(`${root}/api`, { headers: { via } });
      expect([code, textAt(json, 'message')]).toEqual([
        503,
        expect.stringMatching(/forwards requests back to this server$/),
      ]);
    }
    const another = via.replace(/[0-9a-f]{12}$/, '000000000000');
    expect((await at.request(`${farClusterPath}/api`, { headers: { via: another } })).code).toBe(200);
    expect(last()?.headers.via).toBe(`${another}, ${via}`);
  });

  it('is logged in the audit log without its body', async () => {
    await at.request(`${demoInstancePath}/api/v1/namespaces/a/secrets`, {
      method: 'POST',
      body: '{"secret":"swordfish"}',
    });
    const lines = at.state.audit.events;
    expect(lines.at(-1)).toMatchObject({
      verb: 'create',
      stage: 'ResponseComplete',
      responseStatus: { code: 200 },
      objectRef: { resource: 'secrets', namespace: 'a' },
      user: { username: 'anna' },
    });
    expect(JSON.stringify(lines)).not.toContain('swordfish');
  });

  it('streams in both directions: each side sees the other’s data immediately', async () => {
    let response: ServerResponse | undefined;
    const got: string[] = [];
    at.state.respond = (asked, answer) => {
      response = answer;
      answer.writeHead(200, { 'content-type': 'text/plain' });
      asked.on('data', (chunk) => {
        got.push(String(chunk));
        answer.write(`heard ${chunk}`);
      });
      asked.on('end', () => answer.end('all'));
    };
    const { promise: goOn, resolve } = deferred();
    async function* body() {
      yield Buffer.from('one');
      await goOn;
      yield Buffer.from('two');
    }
    const answer = await at.send(`${demoInstancePath}/api/v1/namespaces/a/services/s/proxy/up`, {
      method: 'POST',
      body: body(),
    });
    const chunks = answer.body[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe('heard one');
    resolve();
    let rest = '';
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) rest += next.value;
    expect(rest).toBe('heard twoall');
    expect(response?.writableEnded).toBe(true);
  });

  it('applies backpressure in both directions', async () => {
    let sent = 0;
    at.state.respond = (_asked, response) => {
      const piece = Buffer.alloc(1 << 20);
      const more = () => {
        while (sent < 64 && !response.destroyed) {
          sent += 1;
          if (!response.write(piece)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    };
    const { body } = await at.send(`${demoInstancePath}/api/v1/namespaces/a/pods/x/log`);
    let before = -1;
    for (let quiet = 0; quiet < 300; quiet += 1) {
      if (sent !== before) quiet = 0;
      before = sent;
      await turn();
    }
    expect(sent).toBeLessThan(32);
    let length = 0;
    for await (const chunk of body) length += chunk.length;
    expect(length).toBe(64 << 20);
  });

  it('is aborted at the cluster when its client disconnects and when its key is revoked', async () => {
    for (const leave of [
      (body: { destroy(): unknown }) => body.destroy(),
      () => at.state.keys.get('anna')?.abort(new Error('revoked')),
    ]) {
      const { promise: closed, resolve } = deferred();
      at.state.respond = (_asked, response) => {
        response.once('close', () => resolve());
        response.write('x');
      };
      const { body } = await at.send(`${demoInstancePath}/api/v1/namespaces/a/pods/x/log?follow=true`);
      body.on('error', () => {});
      leave(body);
      await closed;
      body.destroy();
      at.state.keys.clear();
    }
  });

  it('ends its response with an error if the cluster’s response breaks off, over HTTP/1.1 and HTTP/2', async () => {
    at.state.respond = (_asked, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('the beginning', () => response.destroy());
    };
    const path = `${demoInstancePath}/api/v1/namespaces/a/pods/x/log`;
    const { body } = await at.send(path);
    await expect(body.text()).rejects.toThrow();
    const session = connect(at.url, { ca: at.certificate });
    const stream = session.request({ ':path': path, authorization: 'Bearer anna-token' });
    const outcome = await new Promise<string>((resolve) => {
      stream.on('error', () => resolve('broken'));
      stream.on('close', () => resolve(stream.rstCode === 0 ? 'whole' : 'broken'));
      stream.resume();
    });
    session.close();
    expect(outcome).toBe('broken');
  });

  it('gets a response without a body if the cluster sends none', async () => {
    at.state.respond = (asked, response) => {
      response.writeHead(
        asked.url === '/empty' ? 204 : 200,
        asked.url === '/empty' ? {} : { 'content-length': '1234' },
      );
      response.end();
    };
    const head = await at.request(`${demoInstancePath}/api/v1/namespaces`, { method: 'HEAD' });
    expect([head.code, head.headers['content-length'], head.text]).toEqual([200, '1234', '']);
    expect((await at.request(`${demoInstancePath}/empty`)).code).toBe(204);
    expect((await at.request(`${demoInstancePath}/empty`, { method: 'DELETE' })).code).toBe(204);
  });

  it('is a 503 if the cluster does not respond or rejects this server (completions §8)', async () => {
    at.state.respond = (_asked, response) => void response.writeHead(401).end('{"kind":"Status","code":401}');
    for (const root of [farClusterPath, demoInstancePath]) {
      const { code, json } = await at.request(`${root}/api`);
      expect([code, textAt(json, 'message')]).toEqual([503, expect.stringMatching(/credentials/)]);
    }
    // A 401 from an application behind a service is forwarded.
    expect((await at.request(`${demoInstancePath}/api/v1/namespaces/a/services/s/proxy/x`)).code).toBe(401);
    await at.stopTarget();
    for (const root of [farClusterPath, demoInstancePath]) {
      const { code, json } = await at.request(`${root}/api`);
      expect([code, json.kind]).toEqual([503, 'Status']);
    }
  });

  it('does not block others while it waits for a cluster that hangs (completions §10)', async () => {
    const hanging: ServerResponse[] = [];
    at.state.respond = (_asked, response) => void hanging.push(response);
    // More than this server's in-flight limit, all from one caller.
    const waiting = Array.from({ length: 30 }, () => at.request(`${farClusterPath}/api`));
    while (hanging.length < 30) await turn();
    at.state.respond = (_asked, response) => void response.end('{}');
    expect((await at.request(`${demoInstancePath}/api`)).code).toBe(200);
    expect((await at.request(`${farClusterPath}/api`, { token: 'bob-token' })).code).toBe(200);
    for (const response of hanging) response.end('{}');
    expect((await Promise.all(waiting)).map(({ code }) => code)).toEqual(Array(30).fill(200));
  });

  it('is forbidden if the gate denies it, without any request to the cluster (completions §8)', async () => {
    at.state.decide = () => ({ allowed: false, reason: 'not yours' });
    for (const root of [farClusterPath, demoInstancePath]) {
      expect((await at.request(`${root}/api`)).code).toBe(403);
      expect((await at.request(`${root}/api`, { token: 'nobody' })).code).toBe(401);
    }
    expect(at.state.seen).toEqual([]);
    at.state.decide = () => ({ allowed: true, reason: '' });
    expect((await at.request('/kubernetes/cluster/dumb/api')).code).toBe(501);
    expect((await at.request('/kubernetes/cluster/none/api')).code).toBe(404);
    expect((await at.request('/kubernetes/project/default/virtualcluster/none/api')).code).toBe(404);
  });

  it('ends with the reason if it is a watch, like this server’s own watches (completions §5, WATCH-36)', async () => {
    at.state.respond = (_asked, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"type":"ADDED","object":{}}\n');
    };
    const watched = async () => {
      const { body } = await at.send(`${demoInstancePath}/api/v1/namespaces?watch=true`);
      let text = '';
      body.on('data', (chunk) => (text += chunk));
      await once(body, 'data');
      return async () => {
        await once(body, 'end');
        return text;
      };
    };
    const { instance } = at.state;
    const sleeping = { ...instance, status: { ...(instance.status as object), phase: 'Sleeping' } };
    for (const [end, words] of [
      [
        () => at.gateways.changes.handleChange(instance, sleeping as never),
        /is asleep.*the next request wakes it.*"code":503/,
      ],
      [() => at.gateways.changes.handleChange(instance, undefined), /"demo\\" is being removed/],
    ] as const) {
      const rest = await watched();
      end();
      expect(await rest()).toMatch(words);
    }
    const rest = await watched();
    at.state.permissions.abort(expired('your permissions have changed'));
    expect(await rest()).toMatch(/"type":"ERROR".*"code":410/);
  });
});
