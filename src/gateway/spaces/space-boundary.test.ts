import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attributes, ResourceAttributes } from '../../auth/authz/attributes.ts';
import { parseRequestInfo } from '../../http/request/request-info.ts';
import { forwardedPath } from '../forward/forwarded-path.ts';
import { isInSpace, requestIsInSpace } from './space-boundary.ts';

const own = 'own';

/** True if the gateway would forward the request: neither the boundary nor the forwarder refuses it. */
function passes(method: string, url: string): boolean {
  const [path = '', query = ''] = url.split('?');
  try {
    const info = parseRequestInfo(method, path, new URLSearchParams(query));
    if (!requestIsInSpace(info, own)) return false;
    forwardedPath(method, url, 0);
    return true;
  } catch {
    return false;
  }
}

const passing = (requests: readonly string[]) =>
  requests.filter((request) => {
    const [method = '', url = ''] = request.split(' ');
    return passes(method, url);
  });

describe('the boundary of a space (completions §12)', () => {
  it('contains all namespaced requests to its namespace', () => {
    const inside = [
      'GET /api/v1/namespaces/own/pods',
      'GET /api/v1/namespaces/own/pods?watch=1&labelSelector=a%3Db',
      'GET /api/v1/namespaces/own/pods?fieldSelector=metadata.namespace%3Dother',
      'POST /api/v1/namespaces/own/pods',
      'GET /api/v1/namespaces/own/pods/x',
      'HEAD /api/v1/namespaces/own/pods/x',
      'PUT /api/v1/namespaces/own/pods/x/status',
      'PATCH /apis/apps/v1/namespaces/own/deployments/x/scale',
      'DELETE /apis/apps/v1/namespaces/own/deployments/x',
      'DELETE /apis/apps/v1/namespaces/own/deployments',
      'GET /api/v1/namespaces/own/pods/x/log?follow=true',
      'POST /api/v1/namespaces/own/pods/x/exec?command=sh',
      'GET /api/v1/namespaces/own/services/https:web:443/proxy/a/b%2Fc?q=..',
      'POST /api/v1/namespaces/own/serviceaccounts/x/token',
      'POST /apis/authorization.k8s.io/v1/namespaces/own/localsubjectaccessreviews',
      'GET /apis/rbac.authorization.k8s.io/v1/namespaces/own/roles/a%3Ab',
      'GET /apis/example.com/v1beta1/namespaces/own/things',
      'GET /apis/subresources.example.com/v1/namespaces/own/machines/x/portforward/80/tcp',
    ];
    expect(passing(inside)).toEqual(inside);
  });

  it('contains reads of the namespace, documents of the API and reviews of the caller', () => {
    const inside = [
      'GET /api/v1/namespaces/own',
      'HEAD /api/v1/namespaces/own',
      'GET /',
      'GET /version',
      'GET /api',
      'GET /api/v1',
      'GET /apis',
      'GET /apis/apps',
      'GET /apis/apps/v1',
      'GET /openapi/v2',
      'GET /openapi/v3',
      'GET /openapi/v3/apis/apps/v1?hash=1',
      'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      'POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      'POST /apis/authentication.k8s.io/v1/selfsubjectreviews',
    ];
    expect(passing(inside)).toEqual(inside);
  });

  it('contains nothing in other namespaces and across namespaces', () => {
    expect(
      passing([
        'GET /api/v1/namespaces/other/pods',
        'GET /api/v1/namespaces/OWN/pods',
        'GET /api/v1/namespaces/own%20/pods',
        'GET /api/v1/namespaces/own%00/pods',
        'GET /api/v1/namespaces/*/pods',
        'GET /api/v1/namespaces/own,other/pods',
        'GET /api/v1/pods',
        'GET /api/v1/pods?namespace=own',
        'GET /api/v1/pods?namespaces=own',
        'GET /api/v1/pods?fieldSelector=metadata.namespace%3Down',
        'GET /api/v1/pods?labelSelector=kubernetes.io%2Fmetadata.name%3Down',
        'GET /api/v1/pods?watch=true&fieldSelector=metadata.namespace=own',
        'DELETE /api/v1/pods',
        'DELETE /api/v1/namespaces/other/pods',
        'POST /api/v1/namespaces/other/serviceaccounts/x/token',
        'GET /api/v1/namespaces/other/services/web/proxy/',
        'GET /api/v1/namespaces/other/pods/web:80/proxy/',
        'POST /api/v1/namespaces/other/pods/x/exec?command=sh',
        'POST /apis/authorization.k8s.io/v1/namespaces/other/localsubjectaccessreviews',
      ]),
    ).toEqual([]);
  });

  it('contains no cluster-scoped resources', () => {
    const kinds = [
      '/api/v1/nodes',
      '/api/v1/persistentvolumes',
      '/api/v1/componentstatuses',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      '/apis/apiregistration.k8s.io/v1/apiservices',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
      '/apis/certificates.k8s.io/v1/certificatesigningrequests',
      '/apis/storage.k8s.io/v1/storageclasses',
      '/apis/scheduling.k8s.io/v1/priorityclasses',
    ];
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
    const requests = methods.flatMap((method) =>
      kinds.flatMap((path) => [`${method} ${path}`, `${method} ${path}/own`, `${method} ${path}/own/status`]),
    );
    expect(
      passing([
        ...requests,
        'GET /api/v1/nodes/own/proxy/metrics',
        'GET /api/v1/nodes/own/proxy/run/own/x/y',
        'GET /api/v1/proxy/namespaces/own/services/web',
        'GET /api/v1/proxy/nodes/own',
        'POST /apis/authorization.k8s.io/v1/subjectaccessreviews',
        'POST /apis/authentication.k8s.io/v1/tokenreviews',
        'GET /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x',
        'POST /apis/other.k8s.io/v1/selfsubjectaccessreviews',
        'POST /apis/authorization.k8s.io/v1/namespaces/other/selfsubjectaccessreviews',
      ]),
    ).toEqual([]);
  });

  it('contains no writes of the namespace, and no other namespace object', () => {
    expect(
      passing([
        'GET /api/v1/namespaces',
        'GET /api/v1/namespaces?watch=1',
        'GET /api/v1/namespaces?fieldSelector=metadata.name%3Down',
        'POST /api/v1/namespaces',
        'DELETE /api/v1/namespaces',
        'GET /api/v1/namespaces/other',
        'PUT /api/v1/namespaces/own',
        'PATCH /api/v1/namespaces/own',
        'DELETE /api/v1/namespaces/own',
        'POST /api/v1/namespaces/own',
        'GET /api/v1/namespaces/own/status',
        'PUT /api/v1/namespaces/own/status',
        'PATCH /api/v1/namespaces/own/status',
        'PUT /api/v1/namespaces/own/finalize',
        'PUT /api/v1/namespaces/own/finalize/own',
        'GET /api/v1/namespaces/own/namespaces/own',
        'PATCH /api/v1/namespaces/own/namespaces/own',
        'PUT /api/v1/namespaces/own/namespaces/own/finalize',
        'GET /apis/apps/v1/namespaces/own',
        'PATCH /apis/apps/v1/namespaces/own/status',
      ]),
    ).toEqual([]);
  });

  it('contains only canonical paths', () => {
    expect(
      passing([
        'GET /api/v1/watch/pods',
        'GET /api/v1/watch/namespaces/own',
        'GET /api/v1/watch/namespaces/own/pods',
        'GET /api/v1/watch/namespaces/other/pods',
        'GET /api/v1/watch/watch/namespaces/own/pods',
        'GET /api/v1/namespaces/own/../other/pods',
        'GET /api/v1/namespaces/own/../../nodes',
        'GET /api/v1/namespaces/own/%2e%2e/other/pods',
        'GET /api/v1/namespaces/own%2F..%2Fother/pods',
        'GET /api/v1/namespaces/own%2Fpods',
        'GET /api/v1/namespaces%2Fother/pods',
        'GET /api/v1/namespaces/own/pods%2F..%2F..%2Fother%2Fpods',
        'GET /api/v1/namespaces/own/pods/..%2F..%2Fother%2Fpods%2Fx',
        'GET /api/v1/namespaces/own/pods/%2e%2e',
        'GET /api/v1/namespaces/own/pods/%252e%252e/x',
        'GET /api/v1/namespaces/own/pods/a%252Fb',
        'GET /api/v1/namespaces/own/pods/a%5Cb',
        'GET /api/v1/namespaces/own/pods/./x',
        'GET /api/v1/namespaces//own/pods',
        'GET /api//v1/namespaces/own/pods',
        'GET /api/v1//nodes',
        'GET /api/v1/namespaces/own//pods',
        'GET /api/../api/v1/nodes',
        'GET /api/v1/namespaces/own/services/web/proxy/../../../../other/services/web/proxy',
        'GET /api/v1/namespaces/own/services/web/proxy/%2e%2e/%2e%2e/x',
        'GET /api/v1/namespaces/own/services/web/proxy/a%2F..%2F..%2Fb',
        'GET /apis/./v1/namespaces/own/pods',
        'GET /apis/apps%2Fv1/x/namespaces/own/pods',
        'GET /api/v1/namespaces/own/pods;x=1/../../nodes',
      ]),
    ).toEqual([]);
  });

  it('contains no other paths and methods', () => {
    expect(
      passing([
        'GET /metrics',
        'GET /healthz',
        'GET /logs/',
        'GET /debug/pprof/heap',
        'GET /configz',
        'GET /openapi/v3x',
        'GET /openapi',
        'GET /version/../metrics',
        'GET /.well-known/openid-configuration',
        'GET /apis/apps/v1/',
        'POST /version',
        'DELETE /api',
        'POST /apis/apps/v1',
        'OPTIONS /api/v1/namespaces/own/pods',
        'CONNECT /api/v1/namespaces/own/pods/x/exec',
        'TRACE /api/v1/namespaces/own/pods',
        'get /api/v1/namespaces/own/pods',
        'POST /api/v1/watch/namespaces/own/pods',
      ]),
    ).toEqual(['GET /apis/apps/v1/']);
  });

  it('contains no path that would leave the namespace if it were decoded and cleaned again', () => {
    const segment = fc.constantFrom(
      ...['api', 'apis', 'v1', 'apps', 'namespaces', 'own', 'other', 'pods', 'x', 'nodes', 'watch', 'proxy', 'status'],
      ...[
        '',
        '.',
        '..',
        '%2e%2e',
        '%2F',
        '..%2F..',
        'own%2F..%2Fother',
        '%252e%252e',
        'finalize',
        'services',
        'version',
      ],
    );
    const start = fc.constantFrom('/api/v1', '/apis/apps/v1', '/api/v1/namespaces/own', '', '/api/v1/watch');
    const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE');
    const named = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)\/namespaces\/own\/(?!(?:status|finalize|namespaces)(?:\/|$))[^/]+/;
    const documents = /^\/(?:api(?:\/[^/]+)?|apis(?:\/[^/]+){0,2}|version)?$/;
    let found = 0;
    fc.assert(
      fc.property(method, start, fc.array(segment, { maxLength: 7 }), (verb, root, rest) => {
        const path = [root, ...rest].join('/');
        if (!passes(verb, path)) return;
        found += 1;
        const cleaned = posix.normalize(decodeURIComponent(path.replace(/\/$/, '') || '/'));
        const isRead = verb === 'GET' || verb === 'HEAD';
        const isOwnNamespace = isRead && cleaned === '/api/v1/namespaces/own';
        expect(named.test(cleaned) || isOwnNamespace || (isRead && documents.test(cleaned)), `${verb} ${path}`).toBe(
          true,
        );
      }),
      { numRuns: 5_000 },
    );
    expect(found).toBeGreaterThan(50);
  });
});

describe('actions in a space', () => {
  const action = (given: Partial<ResourceAttributes>): Attributes => ({
    resourceRequest: true,
    verb: 'get',
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: '',
    namespace: own,
    name: '',
    ...given,
  });

  it('include the impersonation only of service accounts of the namespace', () => {
    const impersonates = (given: Partial<ResourceAttributes>) =>
      isInSpace(action({ verb: 'impersonate', name: 'x', ...given }), own);
    expect(impersonates({ resource: 'serviceaccounts' })).toBe(true);
    expect(impersonates({ resource: 'serviceaccounts', namespace: 'other' })).toBe(false);
    for (const namespace of ['', own]) {
      for (const resource of ['users', 'groups', 'uids', 'userextras']) {
        expect(impersonates({ resource, namespace }), resource).toBe(false);
        expect(impersonates({ resource, namespace, group: 'authentication.k8s.io' }), resource).toBe(false);
      }
    }
  });

  it('must be in the namespace of the space, with any verb', () => {
    for (const verb of ['get', '*', 'bind', 'escalate', 'use']) {
      expect(isInSpace(action({ verb }), own)).toBe(true);
      expect(isInSpace(action({ verb, resource: '*', group: '*' }), own)).toBe(true);
      expect(isInSpace(action({ verb, namespace: '' }), own)).toBe(false);
      expect(isInSpace(action({ verb, namespace: 'other' }), own)).toBe(false);
      expect(isInSpace(action({ verb, namespace: '*' }), own)).toBe(false);
    }
    expect(isInSpace(action({ resource: 'namespaces', name: own, namespace: '' }), own)).toBe(true);
    expect(isInSpace(action({ resource: 'namespaces', name: own, verb: 'update' }), own)).toBe(false);
    expect(isInSpace(action({ resource: 'namespaces', name: own, verb: '*' }), own)).toBe(false);
    expect(isInSpace(action({ resource: 'namespaces', name: own, namespace: 'other' }), own)).toBe(false);
  });

  it('do not exist without a namespace', () => {
    expect(isInSpace(action({ namespace: '' }), '')).toBe(false);
    expect(isInSpace({ resourceRequest: false, verb: 'get', path: '/version' }, '')).toBe(false);
  });
});
