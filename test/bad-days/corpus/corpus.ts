import { SeededRandom } from '../seeded-random.ts';
import { absurdValues } from './absurd-values.ts';
import { badHeaders } from './bad-headers.ts';
import { badPatches } from './bad-patches.ts';
import { badPaths } from './bad-paths.ts';
import { badProtobuf } from './bad-protobuf.ts';
import type { BadRequest } from './bad-request.ts';
import { bodySizes } from './body-sizes.ts';
import { brokenBytes } from './broken-bytes.ts';
import { continueTokens } from './continue-tokens.ts';
import { deepNesting } from './deep-nesting.ts';
import { halfSent } from './half-sent.ts';
import { hostileMembers } from './hostile-members.ts';
import { mediaTypes } from './media-types.ts';
import { queryOptions } from './query-options.ts';
import { selectors } from './selectors.ts';
import type { ServedApi } from './served-api.ts';
import { smuggling } from './smuggling.ts';
import { wrongTypes } from './wrong-types.ts';
import { yamlTricks } from './yaml-tricks.ts';

const seed = 424_242;

/** Yields all requests. The same server always gets the same requests in the same order. `key` has all permissions. */
export function* corpus(servedApi: ServedApi, key: string): Generator<BadRequest> {
  const random = new SeededRandom(seed);
  yield* wrongTypes(servedApi, random);
  yield* absurdValues(servedApi, random);
  yield* deepNesting(servedApi);
  yield* yamlTricks(servedApi);
  yield* hostileMembers(servedApi);
  yield* brokenBytes(servedApi, random);
  yield* bodySizes(servedApi);
  yield* mediaTypes(servedApi);
  yield* queryOptions(servedApi, random);
  yield* selectors(servedApi, random);
  yield* continueTokens(servedApi, random);
  yield* badPatches(servedApi);
  yield* badPaths(servedApi);
  yield* badHeaders(servedApi);
  yield* badProtobuf(servedApi, random);
  yield* smuggling(servedApi, key);
  yield* halfSent(servedApi, random, key);
}
