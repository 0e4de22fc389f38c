import type { Difference } from './difference.ts';
import { answerDifferences } from './differences/answers.ts';
import { bodyDifferences } from './differences/bodies.ts';
import { builtInDifferences } from './differences/built-in-kinds.ts';
import { customDifferences } from './differences/custom.ts';
import { documentDifferences } from './differences/documents.ts';
import { objectDifferences } from './differences/objects.ts';
import { patchDifferences } from './differences/patches.ts';
import { policyDifferences } from './differences/policies.ts';
import { rbacDifferences } from './differences/rbac.ts';
import { requestDifferences } from './differences/requests.ts';

type Group = readonly [title: string, differences: readonly Difference[]];

/** What may differ in any kind. */
const general: readonly Group[] = [
  ['Requests', requestDifferences],
  ['Bodies', bodyDifferences],
  ['Objects and lists', objectDifferences],
  ['Patches and apply', patchDifferences],
  ['Discovery, OpenAPI, health', documentDifferences],
  ['Answers', answerDifferences],
];

/** Everything that the reference names: what may differ in any kind, then what the suites of single parts add. */
export const differenceGroups: readonly Group[] = [
  ...general,
  ['Kinds that Kubernetes has itself', builtInDifferences],
  ['Custom resources', customDifferences],
  ['Roles and bindings', rbacDifferences],
  ['Admission policies', policyDifferences],
];

/**
 * Everything in which the answers about any kind may differ, in the order in which it is gone through: the first that
 * explains a field is the one that was met. One that no request meets any more fails the suite.
 */
export const differences: readonly Difference[] = general.flatMap(([, group]) => group);
