/** The operators of label requirements. `never` stands for an invalid requirement, which matches no object. */
export type LabelOperator = 'in' | 'notin' | 'exists' | 'absent' | 'greater' | 'less' | 'never';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/**
 * The maximum number of keys in a selector that is tested by looking up each key in the labels. For a longer selector,
 * each label is looked up in the selector instead.
 */
const maxLookups = 8;

/**
 * Compiles requirements to a function that returns true if the labels of an object meet all of them. The requirements
 * for each key are combined. For long selectors, only the labels of the object are looked up, so the time for an object
 * does not depend on the length of the selector, which may have thousands of requirements.
 */
export function compileLabelRequirements(requirements: Iterable<LabelRequirement>): (labels: Labels) => boolean {
  const tests = new Map<string, KeyTest>();
  for (const requirement of requirements) {
    if (requirement.operator === 'never') return () => false;
    const test = tests.get(requirement.key) ?? new KeyTest();
    test.add(requirement);
    tests.set(requirement.key, test);
  }
  if (tests.size <= maxLookups) {
    const entries = [...tests];
    return (labels) =>
      entries.every(([key, test]) => test.accepts(Object.hasOwn(labels, key) ? labels[key] : undefined));
  }
  let requiredKeys = 0;
  for (const test of tests.values()) if (test.isRequired) requiredKeys++;
  return (labels) => {
    let found = 0;
    for (const key of Object.keys(labels)) {
      const test = tests.get(key);
      if (test === undefined) continue;
      if (!test.accepts(labels[key])) return false;
      if (test.isRequired) found++;
    }
    return found === requiredKeys;
  };
}

/** All requirements of a selector for one label key. */
class KeyTest {
  /** True if an object without the label does not match. */
  isRequired = false;
  #isForbidden = false;
  #allowed: Set<string> | undefined;
  #denied: Set<string> | undefined;
  #lowerBound: bigint | undefined;
  #upperBound: bigint | undefined;

  add({ operator, values }: LabelRequirement): void {
    if (operator !== 'absent' && operator !== 'notin') this.isRequired = true;
    if (operator === 'absent') this.#isForbidden = true;
    if (operator === 'in') {
      const allowed = this.#allowed;
      this.#allowed = new Set(allowed === undefined ? values : values.filter((value) => allowed.has(value)));
    }
    if (operator === 'notin') {
      this.#denied ??= new Set();
      for (const value of values) this.#denied.add(value);
    }
    if (operator !== 'greater' && operator !== 'less') return;
    const bound = parseInt64(values[0] ?? '') ?? 0n;
    if (operator === 'greater') this.#lowerBound = larger(bound, this.#lowerBound ?? bound);
    else this.#upperBound = smaller(bound, this.#upperBound ?? bound);
  }

  /** True if the label may have this value. Pass `undefined` if the object does not have the label. */
  accepts(value: string | undefined): boolean {
    if (value === undefined) return !this.isRequired;
    if (this.#isForbidden || this.#allowed?.has(value) === false || this.#denied?.has(value) === true) return false;
    if (this.#lowerBound === undefined && this.#upperBound === undefined) return true;
    const number = parseInt64(value);
    if (number === undefined) return false;
    return (
      (this.#lowerBound === undefined || number > this.#lowerBound) &&
      (this.#upperBound === undefined || number < this.#upperBound)
    );
  }
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** Parses a 64-bit integer; `undefined` if the text is not a 64-bit integer. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[-+]?\d{1,25}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
