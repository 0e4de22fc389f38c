import type { SeededRandom } from '../seeded-random.ts';
import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { collectionPath, newObject, objectPath, type ServedApi } from './served-api.ts';

const family = 'query options';

const names = [
  ...['limit', 'continue', 'resourceVersion', 'resourceVersionMatch', 'timeoutSeconds', 'watch', 'allowWatchBookmarks'],
  ...[
    'sendInitialEvents',
    'dryRun',
    'fieldManager',
    'fieldValidation',
    'force',
    'gracePeriodSeconds',
    'pretty',
    'timeout',
  ],
  ...[
    'propagationPolicy',
    'orphanDependents',
    'includeObject',
    'labelSelector',
    'fieldSelector',
    'shardSelector',
    '__proto__',
  ],
  ...['ignoreStoreReadErrorWithClusterBreakingPotential', 'verbose', 'exclude'],
];

const values = [
  ...[
    '',
    'x',
    '-1',
    '0',
    '1.5',
    '1e9',
    '9223372036854775808',
    '-9223372036854775809',
    'NaN',
    'Infinity',
    'true',
    'false',
  ],
  ...[
    'TRUE',
    't',
    'null',
    '__proto__',
    'constructor',
    'All',
    'all',
    'All,All',
    'Nothing',
    'Exact',
    'NotOlderThan',
    'Ignore',
  ],
  ...[
    '%00',
    '%ff',
    '%ed%a0%80',
    '%F0%9F%A6%8A',
    '%',
    '%z',
    '%2',
    '+',
    '%2B',
    '%0a',
    '%0d%0a',
    '%22',
    '%5C',
    '%7B%7D',
    '*',
  ],
  ...[
    '1h',
    '-1s',
    '1h1h1h',
    '99999999999h',
    '1ns',
    '.s',
    '1.1.1s',
    '5µs',
    '0x1p-2',
    '1_000',
    'a'.repeat(5_000),
    '=',
    '===',
  ],
];

export function* queryOptions(servedApi: ServedApi, random: SeededRandom): Generator<BadRequest> {
  for (const kind of servedApi.kinds) {
    const [collection, object] = [collectionPath(servedApi, kind), objectPath(servedApi, kind)];
    for (const name of names) {
      const option = () => `${name}=${random.pick(values)}`;
      const both = () => `${option()}&${option()}`;
      yield sending(family, 'GET', withQuery(collection, option()), undefined);
      yield sending(
        family,
        'GET',
        withQuery(collection, both(), `${random.pick(names)}=${random.pick(values)}`),
        undefined,
      );
      yield sending(family, 'GET', withQuery(collection, 'watch=1', 'timeoutSeconds=1', option()), undefined);
      yield sending(family, 'GET', withQuery(object, option()), undefined);
      // No delete or write is executed: a dry run that is sent twice or combined with another option is refused or
      // stays a dry run.
      yield sending(family, 'DELETE', withQuery(object, dryRunQuery, option()), undefined);
      yield sending(family, 'DELETE', withQuery(collection, dryRunQuery, option()), undefined);
      yield sending(family, 'PUT', withQuery(object, dryRunQuery, option()), JSON.stringify(kind.sample));
      yield sending(family, 'POST', withQuery(collection, dryRunQuery, option()), JSON.stringify(newObject(kind)));
    }
  }
  const paths = [
    '/openapi/v3/api/v1?hash=x',
    '/readyz?verbose&exclude=%00',
    '/healthz?exclude=__proto__',
    '/version?pretty=x',
  ];
  for (const path of paths) yield sending(family, 'GET', `${servedApi.root}${path}`, undefined);
}
