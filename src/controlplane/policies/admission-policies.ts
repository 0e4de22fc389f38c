import { loadParser } from '@flotilla/cel';
import { writeJson } from '@flotilla/json';
import type { PolicySpec } from '../../api/admissionregistration/validating-admission-policy.ts';
import type { PolicyBindingSpec } from '../../api/admissionregistration/validating-admission-policy-binding.ts';
import type { KubeObject } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden, StatusError, type StatusReason } from '../../api/status.ts';
import { WorkBudget } from '../../lib/work-budget.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { AdmissionAttributes } from '../plane-part.ts';
import { namespaceOfWrite } from './admission-request.ts';
import { type CompiledPolicy, compilePolicy } from './compile-policy.ts';
import { CompiledPolicies } from './compiled-policies.ts';
import { evaluatePolicy, type FailedValidation, type PolicyResult } from './evaluate-policy.ts';
import { type MatchedRequest, matchedVersion } from './matched-version.ts';
import { groupBindings, type PolicyBinding } from './policy-bindings.ts';
import { type AccessAuthorizer, checkAccess, matchedRequest, policyValues } from './policy-input.ts';
import { refuseBeyondLimit } from './policy-limit.ts';
import { collectParams, PolicyBindingError } from './policy-params.ts';
import { EVALUATION_COST, RequestBudget, RequestBudgetExceeded } from './request-budget.ts';

export interface AdmissionPoliciesOptions extends AccessAuthorizer {
  readonly policies: KindStore;
  readonly bindings: KindStore;
  plane(): ControlPlane;
}

type Binding = PolicyBinding<PolicyBindingSpec>;

/** A reason to refuse a write. If there are several reasons, the error response contains the first one. */
interface Denial {
  readonly policy: string;
  readonly binding?: string;
  readonly message: string;
  readonly reason?: string;
}

/** The state of evaluating all policies for one write. */
interface WriteEvaluation {
  readonly write: AdmissionAttributes;
  readonly request: MatchedRequest;
  readonly denials: Denial[];
  /** The budget that all policies share. */
  readonly budget: RequestBudget;
}

/** A policy that matches a write, and its bindings. */
interface MatchedPolicy {
  readonly object: KubeObject;
  readonly spec: PolicySpec;
  readonly bindings: readonly Binding[];
  /** The version of the object's kind in which the policy sees the object. */
  readonly version: string;
}

/** The number of policies that are compared with a write in one time slice. */
const POLICIES_PER_SLICE = 50;

/** Evaluates the ValidatingAdmissionPolicies of a plane for each write. Only policies with bindings apply. */
export class AdmissionPolicies {
  readonly #options: AdmissionPoliciesOptions;
  readonly #compiled = new CompiledPolicies<CompiledPolicy>();

  constructor(options: AdmissionPoliciesOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#compiled.stop();
  }

  /** Implements `PlanePart.admit`. Throws if a policy refuses the write. */
  admit(write: AdmissionAttributes): Promise<void> | undefined {
    const { policies, bindings } = this.#options;
    for (const store of [policies, bindings]) refuseBeyondLimit(write, store);
    return bindings.count() === 0 || policies.count() === 0 ? undefined : this.#evaluate(write);
  }

  async #evaluate(write: AdmissionAttributes): Promise<void> {
    const { policies } = this.#options;
    const bindingsByPolicy = groupBindings<PolicyBindingSpec>(this.#options.bindings);
    const request = matchedRequest(this.#options.plane(), write);
    const evaluation: WriteEvaluation = { write, request, denials: [], budget: new RequestBudget() };
    const slices = new WorkBudget(POLICIES_PER_SLICE, write.context.nextTimeSlice);
    for (const { object } of policies.peekAll()) {
      if (slices.spend(1)) await slices.next();
      const name = object.metadata.name ?? '';
      const bindings = bindingsByPolicy.get(name);
      const spec = (object.spec ?? {}) as unknown as PolicySpec;
      if (bindings === undefined) continue;
      const version = matchedVersion(spec.matchConstraints, request);
      if (version === undefined) continue;
      await this.#evaluateWithinBudget({ object, spec, bindings, version }, evaluation);
    }
    const [denial] = evaluation.denials;
    if (denial !== undefined) throw refusal(write, denial);
  }

  /** Evaluates one policy. Refuses the write immediately if the policies of the write exceed their common budget. */
  async #evaluateWithinBudget(matched: MatchedPolicy, evaluation: WriteEvaluation): Promise<void> {
    try {
      await this.#evaluatePolicy(matched, evaluation);
    } catch (error) {
      if (!(error instanceof RequestBudgetExceeded)) throw error;
      const policy = matched.object.metadata.name ?? '';
      throw refusal(evaluation.write, { policy, message: error.message });
    }
  }

  async #evaluatePolicy(matched: MatchedPolicy, evaluation: WriteEvaluation): Promise<void> {
    const { object, spec, bindings, version } = matched;
    const { write, request, denials, budget } = evaluation;
    const { nextTimeSlice } = write.context;
    const policy = object.metadata.name ?? '';
    const compiled = await this.#compiled.get(this.#options.policies, object, async () =>
      compilePolicy(await loadParser(), spec),
    );
    const annotations = new Map<string, Set<string>>();
    for (const binding of bindings) {
      if (matchedVersion(binding.spec.matchResources, request) === undefined) continue;
      let params: readonly (KubeObject | undefined)[];
      try {
        const source = { kind: spec.paramKind, reference: binding.spec.paramRef, namespace: namespaceOfWrite(write) };
        params = await collectParams({ stores: this.#options.plane().kinds, ...source }, { budget, nextTimeSlice });
      } catch (error) {
        if (!(error instanceof PolicyBindingError)) throw error;
        const message = `failed to configure binding: ${error.message}`;
        if (spec.failurePolicy !== 'Ignore') denials.push({ policy, binding: binding.name, message });
        continue;
      }
      for (const param of params) {
        budget.spend(EVALUATION_COST);
        const result = await evaluatePolicy({
          policy: compiled,
          failurePolicy: spec.failurePolicy,
          values: policyValues(this.#options.plane(), write, version, param),
          checkAccess: (check) => checkAccess(this.#options, write.context.user, check),
          requestBudget: budget,
          nextTimeSlice,
        });
        this.#applyActions(policy, binding, result, evaluation);
        for (const { key, value } of result.annotations) {
          annotations.set(key, (annotations.get(key) ?? new Set()).add(value));
        }
      }
    }
    for (const [key, values] of annotations)
      write.context.annotateByAdmission?.(`${policy}/${key}`, [...values].join(', '));
  }

  /**
   * Performs the actions that the binding specifies for failed validations: refuses the write, returns a warning, or
   * writes to the audit log.
   */
  #applyActions(policy: string, binding: Binding, result: PolicyResult, { write, denials }: WriteEvaluation): void {
    const { validationActions = [] } = binding.spec;
    for (const { index, message, reason } of result.failures) {
      const failure: FailedValidation = { index, message, ...(reason === undefined ? {} : { reason }) };
      for (const action of validationActions) {
        if (action === 'Deny') {
          denials.push({ policy, binding: binding.name, message, ...(reason === undefined ? {} : { reason }) });
        } else if (action === 'Warn') {
          const text = `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding.name}': ${message}`;
          write.context.warn(text);
        } else {
          write.context.annotateByAdmission?.(FAILURE_ANNOTATION, failureText(policy, binding, failure));
        }
      }
    }
    for (const message of result.faults) denials.push({ policy, binding: binding.name, message });
  }
}

const FAILURE_ANNOTATION = 'validation.policy.admission.k8s.io/validation_failure';

function failureText(policy: string, { name, spec }: Binding, { index, message }: FailedValidation): string {
  const { validationActions = [] } = spec;
  return writeJson([
    { message, policy, binding: name, expressionIndex: index, validationActions: [...validationActions] },
  ]);
}

const STATUS_CODES: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 };

function refusal(
  { resource, draft }: AdmissionAttributes,
  { policy, binding, message, reason = 'Invalid' }: Denial,
): StatusError {
  const bound = binding === undefined ? '' : ` with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy '${policy}'${bound} denied request: ${message}`;
  const { status } = forbidden(groupResourceOf(resource), draft.object.metadata.name ?? '', text, [{ message: text }]);
  return new StatusError({ ...status, reason: reason as StatusReason, code: STATUS_CODES[reason] ?? 422 });
}
