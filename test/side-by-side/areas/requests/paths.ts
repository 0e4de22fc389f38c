import { area } from '../../area.ts';
import { gadget, groupPath } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

/** Compares the routing of requests, which is decided before the body is read. */
export function paths(pair: Pair): void {
  area(pair, 'Paths', (compared, gadgets) => {
    compared('an unknown path is 404 (REQ-09)', async () => {
      await gadgets.post(gadget('base'));
      const nowhere = [
        `${groupPath}/nothing`,
        '/apis/workshop.test/v2/gadgets',
        '/apis/none.test/v1/gadgets',
        `${groupPath}/namespaces/paths/gizmos`,
        `${groupPath}/namespaces/paths/nothing/x`,
        `${groupPath}/gadgets/base`,
        '/foo',
        '/apis/none.test',
        '/apis/workshop.test/v9',
      ];
      for (const path of nowhere) await gadgets.send({ path });
      await gadgets.send({ method: 'POST', path: `${groupPath}/gadgets`, json: gadget('x') });
      await gadgets.send({ method: 'DELETE', path: `${groupPath}/gadgets` });
    });

    compared('trailing and duplicate slashes (REQ-08)', async () => {
      await gadgets.get('/');
      await gadgets.get('/base/');
      await gadgets.send({ path: gadgets.path.replace('/apis/', '/apis//') });
    });

    compared('unsupported methods of a path (REQ-02, REQ-12, REQ-14, REQ-26)', async () => {
      for (const method of ['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'FOO']) {
        const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
        await gadgets.send({ method, path: gadgets.path, body: '{}', headers: { 'content-type': type } });
      }
      const json = gadget('base');
      for (const method of ['POST', 'OPTIONS', 'FOO']) {
        await gadgets.send({ method, path: `${gadgets.path}/base`, json });
      }
      for (const method of ['POST', 'DELETE']) {
        await gadgets.send({ method, path: `${gadgets.path}/base/status`, json });
      }
    });

    compared('missing subresources (REQ-13, REQ-14)', async () => {
      for (const where of ['/base/scale', '/base/what', '/nope/what', '/base/status/more']) await gadgets.get(where);
      await gadgets.send({ method: 'PUT', path: `${gadgets.path}/base/what`, json: gadget('base') });
    });

    compared('HEAD answers as GET does, without the body (REQ-25)', async () => {
      for (const where of ['', '/base', '/nope']) await gadgets.send({ method: 'HEAD', path: gadgets.path + where });
    });

    compared('?timeout (REQ-15, REQ-16)', async () => {
      for (const timeout of ['abc', '10', '-1s', '0s', '1h', '1m', '5', '1d', '']) {
        await gadgets.get(`/base?timeout=${timeout}`);
        await gadgets.get(`?timeout=${timeout}`);
      }
      await gadgets.send({ path: '/version?timeout=abc' }, { ignoredFields: /^body/ });
    });

    compared('valid and invalid options of a list (REQ-04, REQ-22, REQ-23)', async () => {
      const queries = [
        'limit=x',
        'timeoutSeconds=x',
        'limit=-1',
        'limit=1.5',
        'limit=99999999999999999999',
        'unknown=1',
        'watch=false',
        'watch=0',
        'watch=False',
        'limit=',
        'timeoutSeconds=',
        'limit=0',
        'limit=+1',
        'limit=0x10',
        'limit=1&limit=2',
        'pretty=x',
        'allowWatchBookmarks=x',
        'sendInitialEvents=x',
        'resourceVersion=',
        'resourceVersion=-1',
        'resourceVersion=01',
        'resourceVersion=1.0',
        'resourceVersion=abc',
        'a=%zz',
        'a;b=c',
        '&&&',
      ];
      for (const query of queries) await gadgets.get(`?${query}`);
      for (const where of ['/base?export=true', '?export=true', '/base?export=false']) await gadgets.get(where);
    });

    compared('escaped, forbidden and invalid names (REQ-24)', async () => {
      for (const name of ['%2e', '%2e%2e', 'a%25b', 'a%2fb', 'A', 'x%20y', '%00', 'a%3Fb', '%C3%A9', '%zz']) {
        await gadgets.get(`/${name}`);
        await gadgets.delete(`/${name}`);
      }
    });

    compared('a version in a GET (GET-03, GET-05)', async () => {
      for (const query of ['resourceVersion=abc', 'resourceVersion=0', 'resourceVersion=', 'resourceVersion=1']) {
        await gadgets.get(`/base?${query}`);
      }
    });

    compared('missing and invalid credentials (ERR-13)', async () => {
      await gadgets.send({ path: gadgets.path, token: null });
      await gadgets.send({ path: gadgets.path, token: 'wrong' });
      await gadgets.send({ path: gadgets.path, headers: { authorization: 'Basic Zm9vOmJhcg==' } });
      await gadgets.send({ path: '/version', token: 'wrong' });
      await gadgets.send({ path: '/nowhere', token: 'wrong' });
    });
  });
}
