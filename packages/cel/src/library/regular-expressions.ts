import { RE2JS } from 're2js';
import { BOOL, INT, listOf, STRING } from '../cel-type.ts';
import type { Evaluation } from '../evaluation.ts';
import { EvaluationError } from '../meter.ts';
import { method, type Overload, overload, signature } from '../overload.ts';
import { PlainList } from '../value.ts';

/**
 * The maximum number of compiled patterns in the cache. A new one evicts the oldest. Rules use few different patterns.
 */
const MAX_CACHED = 500;
const compiled = new Map<string, RE2JS>();

/**
 * Compiles a regular expression in Go's syntax (RE2), whose matching time is linear in the length of the text. Throws
 * an Error if the pattern is invalid.
 */
export function compilePattern(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = RE2JS.compile(pattern);
  if (compiled.size >= MAX_CACHED) compiled.delete(compiled.keys().next().value as string);
  compiled.set(pattern, made);
  return made;
}

function patternOf(pattern: string): RE2JS {
  try {
    return compilePattern(pattern);
  } catch (error) {
    throw new EvaluationError((error as Error).message);
  }
}

/**
 * Returns a matcher, and first charges the meter for the maximum work: each character may be tested against each state
 * of the pattern, and `x{1,1000}` has thousands of states. One test takes about 100 nanoseconds.
 */
function matcherOf(text: string, pattern: string, { meter }: Evaluation): ReturnType<RE2JS['matcher']> {
  const compiled = patternOf(pattern);
  meter.work((text.length + 1) * compiled.programSize() * 8);
  return compiled.matcher(text);
}

function findAll(text: string, pattern: string, limit: number, evaluation: Evaluation): PlainList {
  const matcher = matcherOf(text, pattern, evaluation);
  const each = text.length * patternOf(pattern).programSize();
  const found: string[] = [];
  while ((limit < 0 || found.length < limit) && matcher.find()) {
    // To find this match, the matcher may have read the text to its end. That work is charged for every match.
    evaluation.meter.work(each);
    found.push(matcher.group() ?? '');
  }
  return new PlainList(found);
}

const matches = ([text, pattern]: readonly [string, string], evaluation: Evaluation): boolean =>
  matcherOf(text, pattern, evaluation).find();

export const regularExpressions: readonly Overload[] = [
  overload('matches', 'matches', signature([STRING, STRING], BOOL), matches),
  method('matches', 'matches_string', signature([STRING, STRING], BOOL), matches),
  method(
    'find',
    'string_find_string',
    signature([STRING, STRING], STRING),
    ([text, pattern]: readonly [string, string], evaluation) => {
      const matcher = matcherOf(text, pattern, evaluation);
      return matcher.find() ? (matcher.group() ?? '') : '';
    },
  ),
  method(
    'findAll',
    'string_find_all_string',
    signature([STRING, STRING], listOf(STRING)),
    ([text, pattern]: readonly [string, string], evaluation) => findAll(text, pattern, -1, evaluation),
  ),
  method(
    'findAll',
    'string_find_all_string_int',
    signature([STRING, STRING, INT], listOf(STRING)),
    ([text, pattern, limit]: readonly [string, string, bigint], evaluation) =>
      findAll(text, pattern, Number(limit), evaluation),
  ),
];
