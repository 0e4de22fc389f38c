import type { JsonObject } from '@flotilla/json';
import type { KubernetesKind, StatusRule } from '../kubernetes-kind.ts';
import { kubernetesRules } from './kubernetes-rules.ts';

/** Returns the validation of a kind whose rules are in the rule tables. */
export function rulesOf(struct: string): Pick<KubernetesKind, 'struct' | 'validate' | 'validateUpdate'> {
  return {
    struct,
    validate: (object) => kubernetesRules.errorsOf(struct, object as JsonObject),
    validateUpdate: (object, old) => kubernetesRules.errorsOf(struct, object as JsonObject, old as JsonObject),
  };
}

/** Returns the validation of the status of a kind whose rules are in the rule tables. */
export function statusRulesOf(struct: string): Required<Pick<StatusRule, 'validate'>> {
  return {
    validate: (object, old) => kubernetesRules.statusErrorsOf(struct, object as JsonObject, old as JsonObject),
  };
}
