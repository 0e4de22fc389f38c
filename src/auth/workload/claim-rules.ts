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
  /** The first rule that matches. Absent if no rule matches. */
  readonly rule?: WorkloadRule;
  /** For each rule before the matching one, the reason why it does not match. For administrators. */
  readonly misses: readonly string[];
}

const environment = (): Environment => ({
  variables: new Map([['claims', mapOf(STRING, DYN)]]),
  functions: libraryFunctions(),
  types: libraryTypes,
});

/** Compiles the expression of a rule. If the expression is not valid, returns the problem as the end of a sentence. */
export async function compileClaimRule(rule: WorkloadRule): Promise<ClaimRule | { readonly problem: string }> {
  const program = compileExpression(await loadParser(), rule.when, environment());
  if ('fault' in program) return { problem: `is not a valid CEL expression: ${program.fault}` };
  if (program.type.kind !== BOOL.kind) return { problem: `must be true or false, not ${describeType(program.type)}` };
  // A rule must use the claims. Issuers such as GitHub serve everybody, so a rule without a condition would admit all
  // of their workloads.
  if (!program.usedVariables.has('claims')) {
    return { problem: 'must use "claims"; otherwise the rule would admit every workload of the issuer' };
  }
  return { rule, program };
}

/**
 * Finds the first rule that matches the claims. A rule whose evaluation fails, for example because a claim is missing,
 * does not match. All rules share one cost limit, so more rules do not allow a token to cause more work.
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
