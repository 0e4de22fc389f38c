/**
 * The amounts that are stored for a period. An amount that varies, such as the number of objects, is stored as its
 * product with time, so that the amounts of several periods or subjects can be added. `sizeSeconds`, `workSeconds`,
 * `podSeconds` and `claimSeconds` each contain the time for which the fields listed after it were measured; 0 means not
 * measured. Stored rows have the same order, so a new field must be added at the end.
 */
export const amountFields = [
  /** The time that was observed, in seconds. */
  'seconds',
  'requests',
  'watchSeconds',
  'instanceSeconds',
  /** Instance-seconds in phase Ready. */
  'runningSeconds',
  'sizeSeconds',
  'objectSeconds',
  /** KiB-seconds of objects. */
  'kibSeconds',
  'workSeconds',
  /** The time for which worker threads were busy, in milliseconds. */
  'workMs',
  'podSeconds',
  /** Milli-core-seconds of pods. */
  'cpuMilliSeconds',
  'memoryKibSeconds',
  'claimSeconds',
  /** KiB-seconds of persistent volume claims. */
  'storageKibSeconds',
] as const;

export type AmountField = (typeof amountFields)[number];
export type UsageAmounts = Readonly<Record<AmountField, number>>;

/**
 * The fields that contain the duration of a measurement. All subjects are measured at the same time, so the sum of
 * several subjects has the longest duration, not the total of the durations.
 */
const timeFields: ReadonlySet<AmountField> = new Set([
  'seconds',
  'sizeSeconds',
  'workSeconds',
  'podSeconds',
  'claimSeconds',
]);

export const noAmounts: UsageAmounts = amountsFrom(() => 0);

/** Returns amounts. The value of each field is the result of `of`. */
export function amountsFrom(of: (field: AmountField) => number): UsageAmounts {
  return Object.fromEntries(amountFields.map((field) => [field, of(field)])) as Record<AmountField, number>;
}

/** Adds the amounts of two periods of one subject. */
export function addPeriods(one: UsageAmounts, other: UsageAmounts): UsageAmounts {
  return amountsFrom((field) => one[field] + other[field]);
}

/** Adds the amounts of two subjects, for example of two virtual clusters of a project, in the same period. */
export function addSubjects(one: UsageAmounts, other: UsageAmounts): UsageAmounts {
  return amountsFrom((field) =>
    timeFields.has(field) ? Math.max(one[field], other[field]) : one[field] + other[field],
  );
}

/** Encodes amounts as numbers in the order of the fields, without zeros at the end. */
export function encodeAmounts(amounts: UsageAmounts): number[] {
  const numbers = amountFields.map((field) => Math.round(amounts[field]));
  while (numbers.at(-1) === 0) numbers.pop();
  return numbers;
}

/** Decodes amounts. Ignores fields of a newer version, and values that are not numbers. */
export function decodeAmounts(numbers: readonly unknown[]): UsageAmounts {
  const at = new Map(amountFields.map((field, index) => [field, numbers[index]]));
  return amountsFrom((field) => {
    const value = at.get(field);
    return typeof value === 'number' && Number.isFinite(value) ? value : 0;
  });
}
