import { type AccessCheck, type AccessDecision, type CelValue, dynamicValue, loadParser } from '@flotilla/cel';
import { writeJson } from '@flotilla/json';
import type { PolicySpec } from '../../api/admissionregistration/validating-admission-policy.ts';
import type { PolicyBindingSpec } from '../../api/admissionregistration/validating-admission-policy-binding.ts';
import type { KubeObject } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden, StatusError, type StatusReason } from '../../api/status.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Attributes, Decision } from '../../auth/authz/attributes.ts';
import { WorkBudget } from '../../lib/work-budget.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { AdmissionAttributes } from '../plane-part.ts';
import { admissionRequest, isNamespaceResource, namespaceOfWrite, withApiVersion } from './admission-request.ts';
import { authorizerValue, resourceCheckValue } from './authorizer-library.ts';
import { type CompiledPolicy, compilePolicy } from './compile-policy.ts';
import { evaluatePolicy, type FailedValidation, type PolicyResult } from './evaluate-policy.ts';
import { type MatchedRequest, matchedVersion } from './matched-version.ts';
import { refuseBeyondLimit } from './policy-limit.ts';
import { collectParams, PolicyBindingError } from './policy-params.ts';
import { EVALUATION_COST, RequestBudget, RequestBudgetExceeded } from './request-budget.ts';

export interface AdmissionPoliciesOptions {
  readonly policies: KindStore;
  readonly bindings: KindStore;
  plane(): ControlPlane;
  /** Decides the permission checks of the CEL variable `authorizer`. */
  authorize(user: UserInfo, attributes: Attributes): Decision;
}

interface Binding {
  readonly name: string;
  readonly spec: PolicyBindingSpec;
}

/** A reason to refuse a write. If there are several, the error response contains the first one. */
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
  /** The compiled policies by name. `version` contains the UID and the generation of the policy. */
  readonly #compiled = new Map<string, { readonly version: string; readonly policy: CompiledPolicy }>();

  constructor(options: AdmissionPoliciesOptions) {
    this.#options = options;
  }

  /** Removes compiled policies from the cache when their policies are deleted. Returns a function that stops this. */
  start(): () => void {
    return this.#options.policies.listen(({ before, after }) => {
      if (after === undefined) this.#compiled.delete(before?.object.metadata.name ?? '');
    });
  }

  /** Implements `PlanePart.admit`. Throws if a policy refuses the write. */
  admit(write: AdmissionAttributes): Promise<void> | undefined {
    const { policies, bindings } = this.#options;
    for (const store of [policies, bindings]) refuseBeyondLimit(write, store);
    return bindings.count() === 0 || policies.count() === 0 ? undefined : this.#evaluate(write);
  }

  async #evaluate(write: AdmissionAttributes): Promise<void> {
    const { policies } = this.#options;
    const bindingsByPolicy = this.#bindingsByPolicy();
    const request = this.#matched(write);
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

  /** Refuses the write immediately if its policies exceed their budget. */
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
    const compiled = await this.#compile(object, spec);
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
          values: this.#values(write, version, param),
          checkAccess: (check) => this.#access(write, check),
          requestBudget: budget,
          nextTimeSlice,
        });
        this.#applyActions(policy, binding, result, evaluation);
        for (const { key, value } of result.annotations) {
          annotations.set(key, (annotations.get(key) ?? new Set()).add(value));
        }
      }
    }
    for (const [key, values] of annotations) write.context.annotate?.(`${policy}/${key}`, [...values].join(', '));
  }

  /**
   * Performs the binding's actions for failed validations: refuse the write, return a warning, or write to the audit
   * log.
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
          write.context.annotate?.(FAILURE_ANNOTATION, failureText(policy, binding, failure));
        }
      }
    }
    for (const message of result.faults) denials.push({ policy, binding: binding.name, message });
  }

  async #compile(object: KubeObject, spec: PolicySpec): Promise<CompiledPolicy> {
    const { name = '', uid = '', generation = 0 } = object.metadata;
    const version = `${uid} ${generation}`;
    const known = this.#compiled.get(name);
    if (known?.version === version) return known.policy;
    const policy = await compilePolicy(await loadParser(), spec);
    this.#compiled.set(name, { version, policy });
    return policy;
  }

  #bindingsByPolicy(): Map<string, Binding[]> {
    const found = new Map<string, Binding[]>();
    for (const { object } of this.#options.bindings.peekAll()) {
      const spec = (object.spec ?? {}) as unknown as PolicyBindingSpec;
      const { policyName = '' } = spec;
      const binding = { name: object.metadata.name ?? '', spec };
      const others = found.get(policyName);
      if (others === undefined) found.set(policyName, [binding]);
      else others.push(binding);
    }
    return found;
  }

  #matched(write: AdmissionAttributes): MatchedRequest {
    const { resource, operation, subresource, draft } = write;
    const { group, plural } = resource;
    const served = this.#options.plane().resources();
    const versions = served.flatMap(({ kind }) =>
      kind.group === group && kind.plural === plural ? [kind.version] : [],
    );
    const object = operation === 'DELETE' ? undefined : draft.object;
    return {
      group,
      version: resource.version,
      resource: plural,
      subresource,
      operation,
      name: draft.object.metadata.name ?? '',
      namespaced: resource.namespaced,
      versions,
      object,
      oldObject: oldObjectOf(write),
      namespaceLabels: this.#namespaceLabels(write),
    };
  }

  #namespaceLabels(write: AdmissionAttributes): Readonly<Record<string, string>> | undefined {
    if (isNamespaceResource(write.resource)) return write.draft.object.metadata.labels ?? {};
    return write.resource.namespaced ? (this.#namespace(write)?.metadata.labels ?? {}) : undefined;
  }

  #namespace(write: AdmissionAttributes): KubeObject | undefined {
    return this.#options.plane().kinds.get('namespaces')?.peek('', namespaceOfWrite(write))?.object;
  }

  #values(write: AdmissionAttributes, version: string, param: KubeObject | undefined): Map<string, CelValue> {
    const { resource, operation, draft, subresource } = write;
    const old = oldObjectOf(write);
    const asValue = (object: KubeObject | undefined): CelValue =>
      object === undefined ? null : dynamicValue(withApiVersion(object, resource, version));
    const values = new Map<string, CelValue>([
      ['object', asValue(operation === 'DELETE' ? undefined : draft.object)],
      ['oldObject', asValue(old)],
      ['request', dynamicValue(admissionRequest(write, version))],
      ['authorizer', authorizerValue()],
    ]);
    const { group, plural } = resource;
    const name = draft.object.metadata.name ?? '';
    const namespace = resource.namespaced ? namespaceOfWrite(write) : '';
    values.set(
      'authorizer.requestResource',
      resourceCheckValue({ group, resource: plural, subresource, namespace, name }),
    );
    if (param !== undefined) values.set('params', dynamicValue(param));
    const namespaceObject = resource.namespaced ? this.#namespace(write) : undefined;
    if (namespaceObject !== undefined) values.set('namespaceObject', dynamicValue(namespaceObject));
    return values;
  }

  #access({ context }: AdmissionAttributes, check: AccessCheck): AccessDecision {
    const { path, verb, account, ...about } = check;
    const user = account === undefined ? context.user : accountUser(account);
    const attributes: Attributes =
      path === undefined
        ? { resourceRequest: true, verb, version: '*', ...about }
        : { resourceRequest: false, verb, path };
    const { allowed, reason } = this.#options.authorize(user, attributes);
    return { allowed, reason };
  }
}

function oldObjectOf({ operation, draft }: AdmissionAttributes): KubeObject | undefined {
  return operation === 'DELETE' ? (draft.old?.object ?? draft.object) : draft.old?.object;
}

function accountUser({ namespace, name }: NonNullable<AccessCheck['account']>): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
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
