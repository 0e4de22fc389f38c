import { compilePattern, matchUnits, PatternError } from '@flotilla/regex';
import type { RE2JS } from 're2js';
import { BOOL, INT, listOf, STRING } from '../cel-type.ts';
import type { Evaluation } from '../evaluation.ts';
import { EvaluationError } from '../meter.ts';
import { method, type Overload, overload, signature } from '../overload.ts';
import { PlainList } from '../value.ts';

/**
 * The maximum number of instructions of all compiled patterns in the cache. A new pattern evicts the oldest ones. Rules
 * use few different patterns, of some hundred instructions each.
 */
const MAX_CACHED_INSTRUCTIONS = 200_000;
const compiled = new Map<string, RE2JS>();
let cachedInstructions = 0;

/**
 * Compiles a regular expression in Go's syntax (RE2), whose matching time is linear in the length of the text. Calls
 * `charge` with the units of work before it compiles. Throws PatternError if the pattern is invalid.
 */
export function compileCached(pattern: string, charge: (units: number) => void): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = compilePattern(pattern, charge);
  compiled.set(pattern, made);
  cachedInstructions += made.programSize();
  for (const [oldest, evicted] of compiled) {
    if (cachedInstructions <= MAX_CACHED_INSTRUCTIONS) break;
    compiled.delete(oldest);
    cachedInstructions -= evicted.programSize();
  }
  return made;
}

function patternOf(pattern: string, { meter }: Evaluation): RE2JS {
  try {
    return compileCached(pattern, (units) => meter.work(units));
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new EvaluationError(error.message);
  }
}

/**
 * Returns a matcher. First charges the meter for the maximum work: each character may be tested against each state of
 * the pattern, and a pattern such as `x{1,1000}` has thousands of states.
 */
function matcherOf(text: string, pattern: string, evaluation: Evaluation): ReturnType<RE2JS['matcher']> {
  const compiled = patternOf(pattern, evaluation);
  evaluation.meter.work(matchUnits(compiled, text));
  return compiled.matcher(text);
}

function findAll(text: string, pattern: string, limit: number, evaluation: Evaluation): PlainList {
  const matcher = matcherOf(text, pattern, evaluation);
  const each = matchUnits(patternOf(pattern, evaluation), text);
  const found: string[] = [];
  while ((limit < 0 || found.length < limit) && matcher.find()) {
    // Charge a whole pass over the text for every match, because the matcher may read the text to its end before it
    // finds this match.
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
