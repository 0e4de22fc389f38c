import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

/** A group of conformance tests that do not run, all for one reason. */
export interface LeftOutTests {
  /** A requirement of the tests that a virtual cluster does not meet. */
  readonly needs?: string;
  /** The resources that the tests request and that are not served, as `plural.group`. */
  readonly asksFor?: readonly string[];
  readonly tests: readonly string[];
}

/** The contents of tests.yaml. */
export interface TestList {
  readonly run: readonly string[];
  /** Conformance tests that run in a virtual cluster with a Node object that has no machine. */
  readonly runWithNode: readonly string[];
  /** Conformance tests that run in a virtual cluster for which a kube-controller-manager runs. */
  readonly runWithControllers: readonly string[];
  readonly runToo: readonly string[];
  readonly leftOut: readonly LeftOutTests[];
}

export function readTestList(): TestList {
  const list = load(readFileSync(new URL('./tests.yaml', import.meta.url), 'utf8')) as TestList;
  for (const entry of list.leftOut) {
    if (entry.needs === undefined && entry.asksFor === undefined) {
      throw new Error(`tests.yaml gives no reason for leaving out ${entry.tests.join(', ')}`);
    }
  }
  return list;
}

/** Returns tests that are left out only because of resources that are now served. */
export function needlesslyLeftOut({ leftOut }: TestList, served: ReadonlySet<string>): readonly string[] {
  return leftOut
    .filter(({ needs, asksFor = [] }) => needs === undefined && asksFor.every((resource) => served.has(resource)))
    .flatMap(({ tests }) => tests);
}
