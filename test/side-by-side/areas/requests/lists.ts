import { area } from '../../area.ts';
import { age, asPartialList, asTable, gadget, groupPath } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const colors = ['red', 'blue', 'green'];

/** A continue token that a client might forge. */
const forged = (token: object) => `?continue=${Buffer.from(JSON.stringify(token)).toString('base64url')}`;

const queries = [
  '',
  '?resourceVersion=0',
  '?resourceVersion=1',
  '?resourceVersion=0&resourceVersionMatch=NotOlderThan',
  '?resourceVersion=1&resourceVersionMatch=NotOlderThan',
  '?resourceVersionMatch=NotOlderThan',
  '?resourceVersionMatch=Exact',
  '?resourceVersion=0&resourceVersionMatch=Exact',
  '?resourceVersion=5&resourceVersionMatch=x',
  '?resourceVersionMatch=x',
  '?resourceVersion=abc',
  '?resourceVersion=abc&resourceVersionMatch=Exact',
  '?sendInitialEvents=true',
  '?sendInitialEvents=false',
  '?sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  '?continue=abc',
  '?continue=abc&resourceVersionMatch=Exact&resourceVersion=1',
  '?continue=abc&resourceVersion=5',
  '?continue=abc&resourceVersion=0',
  forged({ v: 'meta.k8s.io/v1', rv: 1, start: '../x' }),
  forged({ v: 'meta.k8s.io/v1', rv: 1, start: '' }),
  forged({ v: 'meta.k8s.io/v2', rv: 1, start: 'a' }),
  forged({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' }),
  '?resourceVersion=0&limit=2',
  '?limit=100',
  '?allowWatchBookmarks=true',
  '?timeoutSeconds=1',
];

/** Compares lists, complete and page by page. */
export function lists(pair: Pair): void {
  area(pair, 'Lists', (compared, gadgets) => {
    compared('an empty list in its three forms (LIST-01, TABLE-01, TABLE-11)', async () => {
      for (const accept of ['application/json', asTable, asPartialList]) await gadgets.get('', { headers: { accept } });
    });

    compared('the options of a list (LIST-05 to LIST-12, LIST-15 to LIST-20)', async () => {
      for (let i = 0; i < 9; i++) {
        const color = colors[i % 3];
        await gadgets.post(gadget(`l${i}`, { metadata: { labels: { color } }, spec: { color, size: i + 1 } }));
      }
      for (const query of queries) await gadgets.get(query);
    });

    compared('all namespaces, a missing one, an invalid one (LIST-02, LIST-26, GET-01)', async () => {
      for (const where of ['gadgets?labelSelector=color', 'namespaces/nope/gadgets', 'namespaces/UP_x/gadgets']) {
        await gadgets.send({ path: `${groupPath}/${where}` });
      }
      await gadgets.send({ path: `${groupPath}/namespaces/nope/gadgets/x` });
    });

    for (const accept of ['application/json', asTable, asPartialList]) {
      compared(`page by page as ${accept} (LIST-15 to LIST-20, LIST-23, TABLE-10)`, async () => {
        const headers = { accept };
        const next = (kept: string, query: (version: string) => string) =>
          gadgets.send(
            (side) => ({
              path: `${gadgets.path}?${query(side.version(kept))}&continue=${side.continuation(kept)}`,
              headers,
            }),
            { keepAs: 'next', ignoredFields: age },
          );
        await gadgets.get('?limit=4', { headers, keepAs: 'first', ignoredFields: age });
        await next('first', () => 'limit=4');
        await next('next', () => 'limit=4');
        await next('first', () => '');
        await next('first', () => 'limit=4&resourceVersion=0');
        await next('first', (version) => `limit=4&resourceVersion=${version}`);
        await next('first', () => 'limit=4&resourceVersionMatch=Exact');
        for (const limit of [9, 8, 10, 1]) await gadgets.get(`?limit=${limit}`, { headers, ignoredFields: age });
      });
    }

    compared('pages of a selection (LIST-23, LIST-24)', async () => {
      const query = '?limit=2&labelSelector=color%3Dred';
      await gadgets.get(query, { keepAs: 'selected' });
      await gadgets.send((side) => ({ path: `${gadgets.path}${query}&continue=${side.continuation('selected')}` }));
      await gadgets.get('?limit=3&labelSelector=color%3Dred');
      await gadgets.get('?limit=2&fieldSelector=spec.color%3Dred');
    });

    compared(
      'later pages show the state of the first one, and so does a list at an old version (LIST-06, LIST-17)',
      async () => {
        await gadgets.get('?limit=4', { keepAs: 'before' });
        await gadgets.post(gadget('l4x'));
        const at = (query: string) =>
          gadgets.send((side) => ({ path: `${gadgets.path}?resourceVersion=${side.version('before')}${query}` }));
        await gadgets.send((side) => ({ path: `${gadgets.path}?limit=4&continue=${side.continuation('before')}` }));
        await at('&resourceVersionMatch=Exact');
        await at('&limit=3');
        await at('&resourceVersionMatch=NotOlderThan');
        await gadgets.send(
          (side) => ({
            path: `${gadgets.path}?limit=3&resourceVersionMatch=Exact&resourceVersion=${side.version('before')}`,
          }),
          { keepAs: 'exact' },
        );
        await gadgets.send((side) => ({ path: `${gadgets.path}?limit=3&continue=${side.continuation('exact')}` }));
        await gadgets.delete('/l4x');
      },
    );

    compared('versions in the near and in the far future (GET-04, GET-05, LIST-14)', async () => {
      const future = 'resourceVersion=99999999999';
      const more = ['', '&resourceVersionMatch=NotOlderThan', '&resourceVersionMatch=Exact', '&limit=2'];
      await pair.sendAll(
        [...more.map((rest) => `?${future}${rest}`), `/l0?${future}`].map((rest) => ({ path: gadgets.path + rest })),
      );
      for (const query of [
        'resourceVersion=-1',
        'resourceVersion=99999999999999999999999',
        'resourceVersion=1&resourceVersionMatch=Exact',
        'resourceVersionMatch=foo',
      ]) {
        await gadgets.get(`/l0?${query}`);
      }
    });
  });
}
