import {
  BOOL,
  CostExceeded,
  compileExpression,
  DYN,
  describeType,
  dynamicValue,
  type Environment,
  EvaluationError,
  libraryFunctions,
  libraryTypes,
  loadParser,
  Meter,
  mapOf,
  type Program,
  STRING,
} from '@flotilla/cel';
import type { JsonObject } from '@flotilla/json';
import type { WorkloadRule } from './workload-issuer.ts';

/** A rule whose expression is compiled. */
export interface ClaimRule {
  readonly rule: WorkloadRule;
  readonly program: Program;
}

export interface RuleMatch {
  /** The first rule that matches; absent if none does. */
  readonly rule?: WorkloadRule;
  /** The reason why each rule before it does not match, for administrators. */
  readonly misses: readonly string[];
}

const environment = (): Environment => ({
  variables: new Map([['claims', mapOf(STRING, DYN)]]),
  functions: libraryFunctions(),
  types: libraryTypes,
});

/** Compiles the expression of a rule. Returns its problem, which continues a sentence, if it is not valid. */
export async function compileClaimRule(rule: WorkloadRule): Promise<ClaimRule | { readonly problem: string }> {
  const program = compileExpression(await loadParser(), rule.when, environment());
  if ('fault' in program) return { problem: `is not a valid CEL expression: ${program.fault}` };
  if (program.type.kind !== BOOL.kind) return { problem: `must be true or false, not ${describeType(program.type)}` };
  // Issuers such as GitHub's serve everybody. A rule without a condition would admit all of their workloads.
  if (!program.usedVariables.has('claims')) {
    return { problem: 'must use "claims"; otherwise the rule would admit every workload of the issuer' };
  }
  return { rule, program };
}

/**
 * Finds the first rule that matches the claims. A rule whose evaluation fails, for example because a claim is missing,
 * does not match. All rules share one cost limit, so that the claims cannot cause more work with more rules.
 */
export function matchClaims(rules: readonly ClaimRule[], claims: JsonObject): RuleMatch {
  const value = dynamicValue(claims);
  const meter = new Meter();
  const misses: string[] = [];
  for (const { rule, program } of rules) {
    try {
      if (program.run(() => value, { meter }) === true) return { rule, misses };
      misses.push(`${rule.name}: false`);
    } catch (error) {
      if (error instanceof CostExceeded) return { misses: [...misses, `${rule.name}: ${error.message}`] };
      if (!(error instanceof EvaluationError)) throw error;
      misses.push(`${rule.name}: ${error.message}`);
    }
  }
  return { misses };
}
