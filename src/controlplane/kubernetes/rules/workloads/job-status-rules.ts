import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { duplicate, type FieldError, invalid, required } from '../../../../api/field-error.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { fieldIsImmutable, listOf, memberAt, numberOf, objectAt, textOf } from '../checks.ts';
import { invalidStruct, invalidWithoutValue } from '../field-rules.ts';
import type { Check } from '../object-rules.ts';
import { countIndexes, sharedIndex } from './index-ranges.ts';
import { notNegativeCounts } from './status-checks.ts';

export function isConditionTrue(status: JsonObject, type: string): boolean {
  return hasCondition(status, type, 'True');
}

function hasCondition(status: JsonObject, type: string, wanted: string): boolean {
  return listOf(status.conditions).some(
    (condition) => memberAt(condition, ['type']) === type && memberAt(condition, ['status']) === wanted,
  );
}

/** The status of a job before or after a write, with the conditions that the rules use. */
class JobStatus {
  readonly members: JsonObject;
  readonly isComplete: boolean;
  readonly isFailed: boolean;
  readonly isFailureTarget: boolean;
  readonly isSuccessful: boolean;

  constructor(job: JsonValue | undefined) {
    this.members = objectAt(job, 'status');
    this.isComplete = isConditionTrue(this.members, 'Complete');
    this.isFailed = isConditionTrue(this.members, 'Failed');
    this.isFailureTarget = isConditionTrue(this.members, 'FailureTarget');
    this.isSuccessful = isConditionTrue(this.members, 'SuccessCriteriaMet');
  }

  get isFinished(): boolean {
    return this.isComplete || this.isFailed;
  }

  /** Returns a member; `undefined` if it is absent. */
  at(name: string): JsonValue | undefined {
    return this.members[name] ?? undefined;
  }
}

/** A write of a job's status. Most rules apply only to members that the write changes. */
interface StatusWrite {
  readonly spec: JsonObject;
  readonly old: JobStatus;
  readonly next: JobStatus;
  /** True if one of the members or flags differs. */
  changes(...names: readonly (string | Flag)[]): boolean;
}

type Flag = 'isComplete' | 'isFailed' | 'isFailureTarget' | 'isSuccessful' | 'isFinished';
const flags: readonly string[] = ['isComplete', 'isFailed', 'isFailureTarget', 'isSuccessful', 'isFinished'];

function statusWrite(job: JsonValue | undefined, before: JsonValue | undefined): StatusWrite {
  const [old, next] = [new JobStatus(before), new JobStatus(job)];
  const differs = (name: string) =>
    flags.includes(name)
      ? old[name as Flag] !== next[name as Flag]
      : !equalJson(zeroIsAbsent(name, old.at(name)), zeroIsAbsent(name, next.at(name)));
  return { spec: objectAt(job, 'spec'), old, next, changes: (...names) => names.some(differs) };
}

/**
 * Returns the value of a member for comparisons. Members that are not pointers in Go count as absent if they have the
 * zero value.
 */
function zeroIsAbsent(name: string, value: JsonValue | undefined): JsonValue {
  if (name === 'active') return numberOf(value);
  return name === 'completedIndexes' ? textOf(value) : (value ?? null);
}

function conditions(detail: string): FieldError {
  return invalidWithoutValue('status.conditions', detail);
}

function* uncountedErrors(pods: JsonValue | undefined): Generator<FieldError> {
  const seen = new Set<string>();
  for (const name of ['succeeded', 'failed']) {
    for (const [index, item] of listOf(memberAt(pods, [name])).entries()) {
      const path = indexPath(`status.uncountedTerminatedPods.${name}`, index);
      const uid = textOf(item);
      if (uid === '') yield invalid(path, uid, 'must not be empty');
      else if (seen.has(uid)) yield duplicate(path, uid);
      seen.add(uid);
    }
  }
}

function* completionErrors({ next, changes }: StatusWrite): Generator<FieldError> {
  const path = 'status.completionTime';
  if (changes('isComplete', 'isFailed') && next.isComplete && next.isFailed) {
    yield conditions('cannot set Complete=True and Failed=true conditions');
  }
  if (changes('isComplete', 'isFailureTarget') && next.isComplete && next.isFailureTarget) {
    yield conditions('cannot set Complete=True and FailureTarget=true conditions');
  }
  const [start, end] = [next.at('startTime'), next.at('completionTime')];
  if (changes('isComplete', 'completionTime')) {
    if (end !== undefined && !next.isComplete) {
      yield invalid(path, end, 'cannot set completionTime when there is no Complete=True condition');
    }
    if (end === undefined && next.isComplete) yield required(path, 'completionTime is required for Complete jobs');
  }
  const isBefore = start !== undefined && end !== undefined && Date.parse(textOf(end)) < Date.parse(textOf(start));
  if (changes('startTime', 'completionTime') && isBefore) {
    yield invalid(path, end, 'must be equal to or after `startTime`');
  }
  if (changes('isFailed', 'failedIndexes') && next.isFailed && !next.isFailureTarget) {
    yield conditions('cannot set Failed=True condition without the FailureTarget=true condition');
  }
  if (changes('isComplete', 'isSuccessful') && next.isComplete && !next.isSuccessful) {
    yield conditions('cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  }
}

function* finishedErrors({ spec, next, changes }: StatusWrite): Generator<FieldError> {
  if (!next.isFinished) return;
  const active = next.at('active');
  if (changes('isFinished', 'active') && numberOf(active) > 0) {
    yield invalid('status.active', active, 'active>0 is invalid for finished job');
  }
  const needsNoStart = spec.suspend === true && spec.completions === 0;
  if (changes('isFinished', 'startTime') && !needsNoStart && next.at('startTime') === undefined) {
    yield required('status.startTime', 'startTime is required for finished job');
  }
  const pods = next.at('uncountedTerminatedPods');
  const [succeeded, failed] = ['succeeded', 'failed'].map((name) => listOf(memberAt(pods, [name])));
  const isCounted = (succeeded?.length ?? 0) + (failed?.length ?? 0) === 0;
  if (changes('isFinished', 'uncountedTerminatedPods') && !isCounted) {
    const shown = { Succeeded: memberAt(pods, ['succeeded']) ?? null, Failed: memberAt(pods, ['failed']) ?? null };
    yield invalidStruct('status.uncountedTerminatedPods', shown, 'must be empty for finished job');
  }
}

function* indexErrors({ spec, next, changes }: StatusWrite): Generator<FieldError> {
  const completed = textOf(next.at('completedIndexes'));
  const failed = next.at('failedIndexes');
  const completions = (spec.completions ?? undefined) === undefined ? undefined : numberOf(spec.completions);
  const hasIndexLimit = (spec.backoffLimitPerIndex ?? undefined) !== undefined;
  const format = (name: string, text: string) => {
    const parsed = completions === undefined ? undefined : countIndexes(text, completions);
    return parsed !== undefined && 'fault' in parsed
      ? [invalid(`status.${name}`, text, `error parsing ${name}: ${parsed.fault}`)]
      : [];
  };
  if (changes('completedIndexes')) yield* format('completedIndexes', completed);
  if (changes('failedIndexes') && hasIndexLimit && failed !== undefined) yield* format('failedIndexes', textOf(failed));
  if (changes('completedIndexes') && completed !== '' && spec.completionMode !== 'Indexed') {
    const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    yield invalid('status.completedIndexes', completed, detail);
  }
  if (changes('failedIndexes') && !hasIndexLimit && failed !== undefined) {
    yield invalid(
      'status.failedIndexes',
      failed,
      'cannot set non-null failedIndexes when backoffLimitPerIndex is null',
    );
  }
  if (!changes('failedIndexes', 'completedIndexes') || completions === undefined || failed === undefined) return;
  const shared = sharedIndex(completed, textOf(failed), completions);
  if (shared === undefined) return;
  yield invalid('status.failedIndexes', failed, `failedIndexes and completedIndexes overlap at index: ${shared}`);
}

function* podErrors({ spec, next, changes }: StatusWrite): Generator<FieldError> {
  const [terminating, ready] = [next.at('terminating'), next.at('ready')];
  if (changes('isFinished', 'terminating') && numberOf(terminating) > 0 && next.isFinished) {
    yield invalid('status.terminating', terminating, 'terminating>0 is invalid for finished job');
  }
  if (changes('ready', 'active') && ready !== undefined && numberOf(ready) > numberOf(next.at('active'))) {
    yield invalid('status.ready', ready, 'cannot set more ready pods than active');
  }
  if (next.isSuccessful && next.isFailed) {
    yield conditions('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  }
  if (next.isSuccessful && next.isFailureTarget) {
    yield conditions('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  }
  if (isJsonObject(spec.successPolicy) && !next.isSuccessful && next.isComplete) {
    yield conditions('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
  }
}

function* transitionErrors({ spec, old, next, changes }: StatusWrite): Generator<FieldError> {
  for (const [type, flag] of [
    ['Failed', 'isFailed'],
    ['Complete', 'isComplete'],
    ['FailureTarget', 'isFailureTarget'],
  ] as const) {
    if (old[flag] && !next[flag]) yield conditions(`cannot disable the terminal ${type}=True condition`);
  }
  const decreased = (name: string) => numberOf(next.at(name)) < numberOf(old.at(name));
  if (decreased('failed')) yield invalid('status.failed', next.at('failed') ?? 0, 'cannot decrease the failed counter');
  const isElastic = spec.completionMode === 'Indexed' && equalJson(spec.completions ?? null, spec.parallelism ?? null);
  if (!isElastic && decreased('succeeded')) {
    yield invalid('status.succeeded', next.at('succeeded') ?? 0, 'cannot decrease the succeeded counter');
  }
  const [end, start] = [next.at('completionTime'), next.at('startTime')];
  if (end !== undefined && old.at('completionTime') !== undefined && changes('completionTime')) {
    yield invalid('status.completionTime', end, fieldIsImmutable);
  }
  const isResuming = isConditionTrue(old.members, 'Suspended') && hasCondition(next.members, 'Suspended', 'False');
  if (changes('startTime') && !isResuming && old.at('startTime') !== undefined && spec.suspend !== true) {
    yield invalid('status.startTime', start, 'field is immutable for unsuspended job once set');
  }
  if (old.isSuccessful && !next.isSuccessful) yield conditions('cannot disable the SuccessCriteriaMet=True condition');
  if (old.isComplete && !old.isSuccessful && next.isSuccessful) {
    yield conditions('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
  }
}

const counts = notNegativeCounts('active', 'succeeded', 'failed', 'ready', 'terminating');

/** The rules of the status of a job, which controllers of tenants may write. */
export const jobStatus: Check = function* (job, position) {
  yield* counts(job, position);
  const write = statusWrite(job, position.old);
  yield* uncountedErrors(write.next.at('uncountedTerminatedPods'));
  yield* completionErrors(write);
  yield* finishedErrors(write);
  yield* indexErrors(write);
  yield* podErrors(write);
  yield* transitionErrors(write);
};
