import { area } from '../../area.ts';
import { age, asPartial, asPartialList, asTable, gadget, groupPath, mergePatch } from '../../gadgets.ts';
import type { Pair, PairRequest } from '../../pair.ts';

const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
const withBookmark = `${initial}&allowWatchBookmarks=true`;

const queries = [
  '',
  'resourceVersion=0',
  'resourceVersion=',
  'allowWatchBookmarks=true',
  'sendInitialEvents=true',
  initial,
  withBookmark,
  `${withBookmark}&resourceVersion=0`,
  `${withBookmark}&resourceVersion=1`,
  'sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=false',
  'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
  'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0',
  'resourceVersionMatch=NotOlderThan',
  'resourceVersionMatch=Exact',
  'resourceVersionMatch=x',
  'sendInitialEvents=true&resourceVersionMatch=Exact',
  `${initial}&continue=x`,
  'continue=x&resourceVersionMatch=NotOlderThan',
  'continue=x',
  'limit=1',
  'limit=x',
  'timeoutSeconds=x',
  'resourceVersion=abc',
  'resourceVersion=-1',
  'labelSelector=((',
  'fieldSelector=spec.zip%3D1',
  'fieldSelector=metadata.name%3Da',
  'labelSelector=l%3D2',
  'fieldSelector=spec.color%3Dred,metadata.name!%3Da',
  'timeout=abc',
  'pretty=1',
  `${withBookmark}&labelSelector=none`,
  'resourceVersion=99999999',
  'shardSelector=x',
];

const accepts = [
  'application/yaml',
  'application/json',
  'application/json;stream=watch',
  '*/*',
  'application/vnd.kubernetes.protobuf',
  'application/vnd.kubernetes.protobuf;stream=watch',
  'text/plain',
  asTable,
  asPartial,
  asPartialList,
  'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
  'application/json;as=Foo;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf,application/json',
  'application/cbor-seq,application/json',
];

/**
 * Compares watches. Each one lasts a few seconds at most, and then the server ends it, which both servers do in the
 * same way (WATCH-16).
 */
export function watches(pair: Pair): void {
  area(pair, 'Watches', (compared, gadgets) => {
    const watch = (query: string, seconds = 1): PairRequest => {
      const limit = query.includes('timeoutSeconds') ? '' : `&timeoutSeconds=${seconds}`;
      return { path: `${gadgets.path}?watch=1${limit}&${query}` };
    };
    const stream = { isStream: true };

    compared('the options of a watch (WATCH-05 to WATCH-13, WATCH-18, WATCH-19)', async () => {
      await gadgets.post(gadget('a', { metadata: { labels: { l: '1' } } }));
      await gadgets.post(gadget('b', { metadata: { labels: { l: '2' } } }));
      await gadgets.get('', { keepAs: 'list' });
      await pair.sendAll(
        queries.map((query) => watch(query)),
        stream,
      );
    });

    compared('the ways to request a watch (REQ-03, REQ-04, REQ-07)', async () => {
      const spellings = ['watch=true', 'watch', 'watch=', 'watch=yes', 'watch=1&watch=0'];
      await pair.sendAll(
        spellings.map((spelling) => ({ path: `${gadgets.path}?${spelling}&timeoutSeconds=1` })),
        stream,
      );
      const inside = 'namespaces/watches/gadgets';
      const paths = [inside, `${inside}/a`, 'gadgets', ''].map((path) => `${groupPath}/watch/${path}`);
      await pair.sendAll(
        paths.map((path) => ({ path: `${path}?timeoutSeconds=1&labelSelector=l` })),
        stream,
      );
      const others = ['gadgets?labelSelector=l&', 'namespaces/nope/gadgets?', `${inside}/a?`, `${inside}/a/status?`];
      const named = `${inside}/a?fieldSelector=metadata.name%3Db&`;
      await pair.sendAll(
        [...others, named].map((path) => ({ path: `${groupPath}/${path}watch=1&timeoutSeconds=1` })),
        stream,
      );
    });

    compared('starting at a version, with and without bookmarks (WATCH-05, WATCH-09, WATCH-14)', async () => {
      const from = (query: string): PairRequest => {
        return (side) => ({ path: `${gadgets.path}?watch=1&resourceVersion=${side.version('list')}&${query}` });
      };
      await gadgets.post(gadget('c', { metadata: { labels: { l: '1' } } }));
      await pair.sendAll([from('timeoutSeconds=1'), from('timeoutSeconds=1&labelSelector=l%3D2')], stream);
      await pair.sendAll([watch(`${initial}&resourceVersion=999999999`, 5)], stream);
    });

    compared('the representations (NEG-12 to NEG-15, WATCH-01, WATCH-30, WATCH-31)', async () => {
      const apart = age;
      const path = `${gadgets.path}?watch=1&timeoutSeconds=1&${withBookmark}`;
      await pair.sendAll(
        accepts.map((accept) => ({ path, headers: { accept } })),
        { isStream: true, ignoredFields: apart },
      );
      await pair.sendAll(
        ['None', 'Object', 'x'].map((include) => ({
          path: `${path}&includeObject=${include}`,
          headers: { accept: asTable },
        })),
        { isStream: true, ignoredFields: apart },
      );
    });
  });

  area(pair, 'Live watches', (compared, gadgets) => {
    const live = (query: string, act: () => Promise<void>, accept = 'application/json') => {
      const path = `${gadgets.path}?watch=1&timeoutSeconds=3&${query}`;
      return pair.during({ path, headers: { accept } }, act, { ignoredFields: age });
    };
    const make = (name: string, metadata = {}) =>
      pair.prepare({ method: 'POST', path: gadgets.path, json: gadget(name, { metadata }) });
    const remove = (name: string) => pair.prepare({ method: 'DELETE', path: `${gadgets.path}/${name}` });
    const change = (name: string, patch: object) => {
      const headers = { 'content-type': mergePatch };
      return pair.prepare({ method: 'PATCH', path: `${gadgets.path}/${name}`, body: JSON.stringify(patch), headers });
    };
    const named = (name: string) => `fieldSelector=metadata.name%3D${name}`;

    compared(
      'a lifecycle: created, changed, left unchanged, its status written, deleted (WATCH-02, WATCH-23, WATCH-37)',
      async () => {
        await live(named('n1'), async () => {
          await make('n1');
          await change('n1', { spec: { size: 5 } });
          await change('n1', { spec: { size: 5 } });
          await change('n1/status', { status: { phase: 'Up' } });
          await remove('n1');
        });
      },
    );

    compared('objects that enter and leave a selection (WATCH-20 to WATCH-22)', async () => {
      await make('b', { labels: { l: '2' } });
      await live('labelSelector=l%3D1', async () => {
        await change('b', { metadata: { labels: { l: '1' } } });
        await change('b', { spec: { size: 9 } });
        await change('b', { metadata: { labels: { l: '2' } } });
        await change('b', { spec: { size: 10 } });
      });
      await live('fieldSelector=spec.size%3D10', async () => {
        await change('b', { spec: { size: 11 } });
        await change('b', { spec: { size: 10 } });
      });
    });

    compared('a pending deletion, and a reused name (WATCH-24, WATCH-25)', async () => {
      await live(named('held'), async () => {
        await make('held', { finalizers: ['x/y'] });
        await remove('held');
        await remove('held');
        await change('held', { metadata: { finalizers: null } });
      });
      await live(named('again'), async () => {
        await make('again');
        await remove('again');
        await make('again');
      });
    });

    compared('as rows and as metadata alone (WATCH-30, WATCH-31)', async () => {
      const life = (name: string) => async () => {
        await make(name);
        await change(name, { metadata: { labels: { z: 'z' } } });
        await remove(name);
      };
      await live(named('row'), life('row'), asTable);
      await live(named('part'), life('part'), asPartial);
    });

    compared('a whole collection that is deleted (DELCOL-01, WATCH-23)', async () => {
      await make('d1', { labels: { gone: 'soon' } });
      await make('d2', { labels: { gone: 'soon' } });
      await live('labelSelector=gone', async () => {
        await pair.prepare({ method: 'DELETE', path: `${gadgets.path}?labelSelector=gone` });
      });
    });
  });
}
