import type { Difference } from './difference.ts';
import { answerDifferences } from './differences/answers.ts';
import { bodyDifferences } from './differences/bodies.ts';
import { documentDifferences } from './differences/documents.ts';
import { objectDifferences } from './differences/objects.ts';
import { patchDifferences } from './differences/patches.ts';
import { requestDifferences } from './differences/requests.ts';

/** What the pages and the checks go through, in this order; the first that explains a field is the one that was met. */
export const differenceGroups: readonly (readonly [title: string, differences: readonly Difference[]])[] = [
  ['Requests', requestDifferences],
  ['Bodies', bodyDifferences],
  ['Objects and lists', objectDifferences],
  ['Patches and apply', patchDifferences],
  ['Discovery, OpenAPI, health', documentDifferences],
  ['Answers', answerDifferences],
];

/** Everything in which the answers may differ. One that no request meets any more fails the suite. */
export const differences: readonly Difference[] = differenceGroups.flatMap(([, group]) => group);
