import type { Difference } from './difference.ts';
import { answerDifferences } from './differences/answers.ts';
import { bodyDifferences } from './differences/bodies.ts';
import { builtInDifferences } from './differences/built-in-kinds.ts';
import { customDifferences } from './differences/custom.ts';
import { documentDifferences } from './differences/documents.ts';
import { fullSetDifferences } from './differences/full-set.ts';
import { objectDifferences } from './differences/objects.ts';
import { patchDifferences } from './differences/patches.ts';
import { policyDifferences } from './differences/policies.ts';
import { rbacDifferences } from './differences/rbac.ts';
import { requestDifferences } from './differences/requests.ts';

type Group = readonly [title: string, differences: readonly Difference[]];

/** Differences that can occur for objects of any kind. */
const general: readonly Group[] = [
  ['Requests', requestDifferences],
  ['Bodies', bodyDifferences],
  ['Objects and lists', objectDifferences],
  ['Patches and apply', patchDifferences],
  ['Discovery, OpenAPI, health', documentDifferences],
  ['Responses', answerDifferences],
];

/** All documented differences: first those that can occur for any kind, then those of single suites. */
export const differenceGroups: readonly Group[] = [
  ...general,
  ['Built-in Kubernetes kinds', builtInDifferences],
  ['Kinds of the full set', fullSetDifferences],
  ['Custom resources', customDifferences],
  ['Roles and bindings', rbacDifferences],
  ['Admission policies', policyDifferences],
];

/**
 * All differences that can occur for any kind, in the order of evaluation. The first one that explains a field is
 * counted. The suite fails if a difference in this list no longer occurs.
 */
export const differences: readonly Difference[] = general.flatMap(([, group]) => group);
