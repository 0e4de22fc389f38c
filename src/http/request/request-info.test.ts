import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { parseRequestInfo } from './request-info.ts';

const parse = (method: string, path: string, query = '') => parseRequestInfo(method, path, new URLSearchParams(query));

describe('resource requests', () => {
  it('core and group paths are parsed, with and without extra slashes (REQ-01, REQ-08)', () => {
    expect(parse('GET', '/api/v1/namespaces/a/events/x/')).toMatchObject({
      isResource: true,
      verb: 'get',
      group: '',
      version: 'v1',
      namespace: 'a',
      resource: 'events',
      pathName: 'x',
    });
    expect(parse('GET', '//apis/g.dev/v1/things')).toMatchObject({ group: 'g.dev', resource: 'things', verb: 'list' });
  });

  it('all other paths are non-resource requests (REQ-01)', () => {
    for (const path of [
      '/',
      '/api',
      '/api/v1',
      '/apis',
      '/apis/g',
      '/apis/g/v1',
      '/healthz',
      '/openapi/v3/apis/g/v1',
    ]) {
      expect(parse('GET', path)).toMatchObject({ isResource: false, verb: 'get', resource: '' });
    }
    expect(parse('POST', '/version').verb).toBe('post');
  });

  it.each([
    ['POST', '/apis/g/v1/r', 'create'],
    ['GET', '/apis/g/v1/r/x', 'get'],
    ['HEAD', '/apis/g/v1/r/x', 'get'],
    ['PUT', '/apis/g/v1/r/x', 'update'],
    ['PATCH', '/apis/g/v1/r/x', 'patch'],
    ['DELETE', '/apis/g/v1/r/x', 'delete'],
    ['DELETE', '/apis/g/v1/r', 'deletecollection'],
    ['GET', '/apis/g/v1/r', 'list'],
    ['HEAD', '/apis/g/v1/r', 'list'],
    ['OPTIONS', '/apis/g/v1/r', ''],
    ['constructor', '/apis/g/v1/r', ''],
  ])('%s %s has the verb %s (REQ-02, REQ-03, REQ-25, REQ-26)', (method, path, verb) => {
    expect(parse(method, path).verb).toBe(verb);
  });

  it.each([
    ['', 'list'],
    ['watch', 'watch'],
    ['watch=', 'watch'],
    ['watch=1', 'watch'],
    ['watch=yes', 'watch'],
    ['watch=0', 'list'],
    ['watch=FALSE', 'list'],
  ])('the query %s has the verb %s (REQ-04)', (query, verb) => {
    expect(parse('GET', '/apis/g/v1/r', query).verb).toBe(verb);
    expect(parse('GET', '/apis/g/v1/r/x', query).verb).toBe('get');
  });

  it('a Namespace is distinguished from the objects in it (REQ-05)', () => {
    expect(parse('GET', '/api/v1/namespaces')).toMatchObject({ resource: 'namespaces', namespace: '', verb: 'list' });
    expect(parse('GET', '/api/v1/namespaces/a')).toMatchObject({
      resource: 'namespaces',
      namespace: 'a',
      pathName: 'a',
      verb: 'get',
    });
    expect(parse('PUT', '/api/v1/namespaces/a/status')).toMatchObject({
      resource: 'namespaces',
      pathName: 'a',
      subresource: 'status',
    });
    expect(parse('GET', '/api/v1/namespaces/a/pods')).toMatchObject({ resource: 'pods', namespace: 'a', pathName: '' });
  });

  it('the name of an exact field selector is used for authorization only (REQ-06)', () => {
    const name = (query: string, path = '/apis/g/v1/r') => parse('GET', path, query);
    expect(name('fieldSelector=metadata.name%3Dx')).toMatchObject({ verb: 'list', name: 'x', pathName: '' });
    expect(name('watch=1&fieldSelector=metadata.name%3D%3Dx,metadata.namespace%3Da').name).toBe('x');
    expect(parse('DELETE', '/apis/g/v1/r', 'fieldSelector=metadata.name%3Dx')).toMatchObject({
      verb: 'deletecollection',
      name: 'x',
    });
    for (const selector of [
      'metadata.name!=x',
      'metadata.name=x,metadata.name=y',
      'metadata.name=',
      'metadata.name=..',
      'x',
    ]) {
      expect(name(`fieldSelector=${encodeURIComponent(selector)}`).name).toBe('');
    }
  });

  it('legacy watch paths are supported (REQ-07)', () => {
    expect(parse('GET', '/apis/g/v1/watch/namespaces/a/r/x')).toMatchObject({
      verb: 'watch',
      namespace: 'a',
      resource: 'r',
      pathName: 'x',
    });
    expect(parse('GET', '/api/v1/watch/namespaces')).toMatchObject({ verb: 'watch', resource: 'namespaces' });
    expect(parse('POST', '/apis/g/v1/watch/r').verb).toBe('');
    expect(() => parse('GET', '/apis/g/v1/watch')).toThrow('unable to determine kind and namespace from url');
  });

  it('segments after a subresource are kept separate (REQ-14)', () => {
    expect(parse('GET', '/apis/g/v1/r/x/sub/a/b')).toMatchObject({ subresource: 'sub', extraSegments: ['a', 'b'] });
  });
});

describe('malicious paths', () => {
  it('an encoded slash stays inside its segment', () => {
    expect(parse('GET', '/apis/g/v1/r/a%2Fb')).toMatchObject({ pathName: 'a/b', subresource: '' });
    expect(parse('GET', '/apis/g/v1/namespaces/a%2Fr/x')).toMatchObject({ namespace: 'a/r', resource: 'x' });
  });

  it('dot segments are ordinary names', () => {
    expect(parse('GET', '/apis/g/v1/r/..')).toMatchObject({ resource: 'r', pathName: '..' });
    expect(parse('GET', '/apis/g/v1/r/%2e%2e/x')).toMatchObject({ pathName: '..', subresource: 'x' });
    expect(() => parse('GET', '/apis/../metrics')).toThrow(StatusError);
    expect(() => parse('GET', '/metrics%2F')).toThrow(StatusError);
  });

  it('a path with an empty segment is not a resource path', () => {
    expect(parse('GET', '/apis//v1/r/x').isResource).toBe(false);
    expect(parse('GET', '/apis/g/v1//r').isResource).toBe(false);
  });

  it('invalid escapes are rejected', () => {
    expect(() => parse('GET', '/apis/g/v1/r/%zz')).toThrow(StatusError);
  });

  it('a segment is never parsed as two, whatever it contains', () => {
    const segment = fc.string({ minLength: 1 }).filter((text) => text !== 'watch' && text !== 'namespaces');
    fc.assert(
      fc.property(segment, segment, segment, (group, resource, name) => {
        const path = ['', 'apis', group, 'v1', resource, name].map((text) => encodeURIComponent(text)).join('/');
        expect(parse('GET', path)).toMatchObject({ group, resource, pathName: name, subresource: '' });
      }),
    );
  });
});
