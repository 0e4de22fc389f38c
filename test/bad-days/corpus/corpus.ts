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
import { smuggling } from './smuggling.ts';
import type { World } from './world.ts';
import { wrongTypes } from './wrong-types.ts';
import { yamlTricks } from './yaml-tricks.ts';

const seed = 424_242;

/** All of it, in an order that mixes nothing: the same for the same server. `key` is one that may do everything. */
export function* corpus(world: World, key: string): Generator<BadRequest> {
  const random = new SeededRandom(seed);
  yield* wrongTypes(world, random);
  yield* absurdValues(world, random);
  yield* deepNesting(world);
  yield* yamlTricks(world);
  yield* hostileMembers(world);
  yield* brokenBytes(world, random);
  yield* bodySizes(world);
  yield* mediaTypes(world);
  yield* queryOptions(world, random);
  yield* selectors(world, random);
  yield* continueTokens(world, random);
  yield* badPatches(world);
  yield* badPaths(world);
  yield* badHeaders(world);
  yield* badProtobuf(world, random);
  yield* smuggling(world, key);
  yield* halfSent(world, random, key);
}
