import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { parseRequestInfo, type RequestInfo } from '../../http/request/request-info.ts';
import { forwardedPath } from './forwarded-path.ts';

const gateway = '/kubernetes/project/p/virtualcluster/n';
const passed = (rest: string, method = 'GET') => forwardedPath(method, `${gateway}${rest}`, 5);
const refused = (rest: string): number => {
  try {
    return Number(`0 ${passed(rest)}`);
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
};

describe('the forwarded path', () => {
  it('is the literal path below the gateway', () => {
    for (const path of [
      '/',
      '/api',
      '/api/v1/namespaces/a/pods/x/log?follow=true&tailLines=10',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
      '/api/v1/namespaces/a/pods?labelSelector=a%3Db%2Cc&limit=500&continue=ey.J+=',
      '/api/v1/namespaces/a/services/s:80/proxy/git%2Frepo/x?q=%2e%2e/..',
      '/openapi/v3/',
      '/api/v1/namespaces/a/pods/..x/log',
    ]) {
      expect(passed(path)).toBe(path);
    }
    expect(passed('')).toBe('/');
    expect(passed('//api')).toBe('/api');
  });

  it('is rejected if a server on the way could interpret it differently', () => {
    for (const path of [
      '/api/v1/namespaces/a/../b/secrets',
      '/api/v1/namespaces/a/%2e%2e/b/secrets',
      '/api/v1/namespaces/a/.%2E/b/secrets',
      '/api/v1/namespaces/a%2Fsecrets%2Fx',
      '/api/v1/namespaces%2fa/secrets',
      '/api/v1/namespaces/a/pods/x%5C..%5Csecrets',
      '/api/v1/namespaces/a\\secrets',
      '/api/v1//secrets',
      '/api/v1/namespaces//secrets',
      '/api/v1/namespaces/a/services/s/proxy/../../../secrets',
      '/api/v1/namespaces/a/services/s/proxy/x%2F..%2F..%2Fsecrets',
      '/api/v1/namespaces/a/services/s/proxy//x',
      '/api/v1/namespaces/a/pods/x%00y',
      '/api/v1/namespaces/a/pods/x%0d%0aHost:%20y',
      '/api/v1/namespaces/a/pods#/secrets',
      '/api/v1/secrets?watch=1;limit=1',
      '/api/v1/secrets?watch=%zz',
      '/api/v1/secrets?a=1#b',
      '/api/v1/pod\u00e9s',
      '/healthz/../api',
      '/%2e%2e/%2e%2e/management',
      '/api/%zz',
    ]) {
      expect([400, 404], path).toContain(refused(path));
    }
  });

  it('has the same meaning for the authorizer and for the cluster, however they split it', () => {
    const part = fc.constantFrom(
      'api',
      'apis',
      'v1',
      'namespaces',
      'a',
      'secrets',
      'pods',
      'proxy',
      'watch',
      'x',
      '..',
      '.',
      '',
      '%2e%2e',
      '%2F',
      'a%2Fb',
      '%5C',
      ';',
      '%00',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
        const path = `/${parts.join('/')}`;
        let sent: string;
        let ours: RequestInfo;
        try {
          sent = passed(path);
          // For an invalid path, `passed` has thrown an error.
          ours = parseRequestInfo('GET', sent, new URLSearchParams());
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
          return;
        }
        // Go decodes everything and then splits; a URL parser resolves dots, then splits and decodes.
        const decoded = decodeURIComponent(sent);
        const resolved = decodeURIComponent(new URL(sent, 'https://h').pathname);
        const isApplication = ours.subresource === 'proxy';
        for (const theirs of [decoded, resolved]) {
          const read = parseRequestInfo(
            'GET',
            theirs.split('/').map(encodeURIComponent).join('/'),
            new URLSearchParams(),
          );
          const { path: _, extraSegments: __, ...wanted } = ours;
          expect(read).toMatchObject(isApplication ? { ...wanted } : { ...wanted, path: ours.path });
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
