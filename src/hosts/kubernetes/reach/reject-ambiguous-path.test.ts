import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StatusError } from '../../../api/status.ts';
import { rejectAmbiguousPath } from './reject-ambiguous-path.ts';

const isPassed = (path: string) => {
  try {
    rejectAmbiguousPath(path);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(StatusError);
    return false;
  }
};

test('an accepted path stays below the root, however a server interprets it', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '.',
      '..',
      '%2e',
      '%2E%2e',
      '.%2e',
      '...',
      '',
      'api',
      '%2f',
      '%5c..',
      '\\',
      '?',
      '#',
      '?a=/../b',
      '%',
    ),
    fc.webSegment(),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const path = `/${parts.join('/')}`;
      if (!isPassed(path)) return;
      const { pathname } = new URL(`https://host/root/of/it${path}`);
      const [place = ''] = path.split('?', 1);
      expect(pathname.startsWith('/root/of/it/')).toBe(true);
      expect(pathname.split('/').length).toBe(`/root/of/it${place}`.split('/').length);
    }),
    { numRuns: 500 },
  );
});

test('Kubernetes paths are accepted', () => {
  for (const path of [
    '/',
    '/api',
    '/api/v1/namespaces/a/services/https:web:443/proxy/x.y/..z?q=../..&r=%2e%2e',
    '/apis/apps/v1/deployments?labelSelector=a%3Db&watch=true',
    '/api/v1/namespaces/a/pods/b/exec?command=echo&command=%E2%82%AC',
    "/openapi/v3/apis/rbac.authorization.k8s.io/v1?hash='A'",
  ]) {
    expect(isPassed(path), path).toBe(true);
  }
});
