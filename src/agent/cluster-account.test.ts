import { describe, expect, it } from 'vitest';
import type { ApiRequest, ApiResponse } from '../hosts/host.ts';
import { clusterAccountApi, controlServerUser } from './cluster-account.ts';

type SentRequest = Pick<ApiRequest, 'method' | 'path'>;

/**
 * Returns the API of an agent, and a record of the requests that the agent's account and the impersonated users send.
 */
function openApi(readOnly: boolean) {
  const sent: string[] = [];
  const response: ApiResponse = { status: 200, headers: {}, body: (async function* () {})() };
  const recorder = (by: string) => {
    const record = async ({ method, path }: SentRequest) => {
      sent.push(`${by} ${method} ${path}`);
      return response;
    };
    return { send: record, upgrade: record };
  };
  const api = clusterAccountApi({ connection: { own: recorder('own'), api: recorder('user') }, readOnly });
  return { api, sent };
}

const signal = new AbortController().signal;
const own = (method: string, path: string): ApiRequest => ({
  method,
  path,
  headers: {},
  as: controlServerUser,
  signal,
});

describe('the requests of an agent to its cluster', () => {
  it('run with its account if the server itself sends them, and otherwise as the user who sends them', async () => {
    const { api, sent } = openApi(false);
    await api.send(own('POST', '/api/v1/namespaces'));
    await api.send({ ...own('GET', '/api/v1/pods'), as: { name: 'anna', groups: [] } });
    // A caller with the user name of the control server must not get the control server's permissions.
    await api.send({ ...own('GET', '/api/v1/secrets'), as: { ...controlServerUser } });
    await api.upgrade(own('GET', '/api/v1/namespaces/a/pods/b/exec'));
    expect(sent).toEqual([
      'own POST /api/v1/namespaces',
      'user GET /api/v1/pods',
      'user GET /api/v1/secrets',
      'own GET /api/v1/namespaces/a/pods/b/exec',
    ]);
  });

  const pod = '/api/v1/namespaces/a/pods/b';
  it.each([
    ['GET', '/api/v1/pods?watch=true', 'send'],
    ['HEAD', '/version', 'send'],
    ['GET', `${pod}/log`, 'send'],
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 'send'],
    ['GET', `${pod}/portforward?ports=1`, 'upgrade'],
    ['POST', `${pod}/portforward`, 'upgrade'],
  ] as const)('are sent by a read-only agent: %s %s (%s)', async (method, path, how) => {
    const { api, sent } = openApi(true);
    await api[how](own(method, path));
    expect(sent).toEqual([`own ${method} ${path}`]);
  });

  it.each([
    ['POST', '/api/v1/namespaces', 'send'],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/b', 'send'],
    ['DELETE', pod, 'send'],
    ['GET', `${pod}/exec?command=sh`, 'upgrade'],
    ['GET', `${pod}/exec?command=sh`, 'send'],
    ['GET', `${pod}/attach`, 'upgrade'],
    ['GET', `${pod}/proxy/delete-all`, 'send'],
    ['GET', '/api/v1/namespaces/a/services/b:80/proxy/', 'send'],
    ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', 'send'],
    ['POST', '/api/v1/namespaces/a/serviceaccounts/b/token', 'send'],
    ['POST', `${pod}/portforward`, 'send'],
  ] as const)('are refused by a read-only agent: %s %s (%s)', async (method, path, how) => {
    const { api, sent } = openApi(true);
    await expect(api[how](own(method, path))).rejects.toMatchObject({ code: 403 });
    expect(sent).toEqual([]);
  });
});
