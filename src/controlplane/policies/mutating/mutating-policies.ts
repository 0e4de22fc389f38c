import { loadParser } from '@flotilla/cel';
import { equalJson, type JsonValue } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';
import { groupResourceOf } from '../../../api/resource.ts';
import { forbidden, StatusError, type StatusReason } from '../../../api/status.ts';
import { WorkBudget } from '../../../lib/work-budget.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import { jsonSize } from '../../../registry/patch/json-size.ts';
import type { ControlPlane } from '../../control-plane.ts';
import type { ObjectMutation } from '../../object-mutation.ts';
import { Reinvocation } from '../../reinvocation.ts';
import { namespaceOfWrite } from '../admission-request.ts';
import { CompiledPolicies } from '../compiled-policies.ts';
import { evaluateConditions } from '../evaluate-conditions.ts';
import { type MatchedRequest, matchedVersion } from '../matched-version.ts';
import { groupBindings, type PolicyBinding } from '../policy-bindings.ts';
import { type AccessAuthorizer, checkAccess, matchedRequest, policyValues, writeOfMutation } from '../policy-input.ts';
import { collectParams, PolicyBindingError } from '../policy-params.ts';
import { CostBudgetExceeded, PolicyRun, type PolicyRunOptions } from '../policy-run.ts';
import { EVALUATION_COST, RequestBudget, RequestBudgetExceeded } from '../request-budget.ts';
import { applyMutation, MutationError } from './apply-mutation.ts';
import { type CompiledMutatingPolicy, compileMutatingPolicy } from './compile-mutations.ts';
import type { MutatingBindingSpec, MutatingPolicySpec } from './mutating-policy-spec.ts';

export interface MutatingPoliciesOptions extends AccessAuthorizer {
  policies(): KindStore | undefined;
  bindings(): KindStore | undefined;
  plane(): ControlPlane;
}

type Binding = PolicyBinding<MutatingBindingSpec>;

/** A policy that applies to a write, with one binding and at most one parameter object. */
interface Invocation {
  readonly store: KindStore;
  readonly object: KubeObject;
  readonly spec: MutatingPolicySpec;
  readonly binding: Binding;
  readonly param: KubeObject | undefined;
  /** The version of the object's kind in which the policy sees the object. */
  readonly version: string;
}

/** An error of a policy. It refuses the write if the failurePolicy of the policy is Fail. */
interface PolicyFault {
  readonly policy: string;
  readonly binding: string;
  readonly message: string;
  readonly reason: StatusReason;
}

/** The number of policies that are compared with a write in one time slice. */
const POLICIES_PER_SLICE = 50;
/** The number of bytes of an object that can be merged, decoded and completed for one unit of cost. */
const BYTES_PER_UNIT = 2;
const MAX_SIZE = 4 * 1024 * 1024;

/** Applies the MutatingAdmissionPolicies of a plane to each write. Only policies with bindings apply. */
export class MutatingPolicies {
  readonly #options: MutatingPoliciesOptions;
  readonly #compiled = new CompiledPolicies<CompiledMutatingPolicy>();
  readonly #reinvocations = new WeakMap<ObjectMutation, Reinvocation>();

  constructor(options: MutatingPoliciesOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#compiled.stop();
  }

  /** True if policies may apply to writes. */
  get isUsed(): boolean {
    const { policies, bindings } = this.#options;
    return (policies()?.count() ?? 0) > 0 && (bindings()?.count() ?? 0) > 0;
  }

  /** Implements `PlanePart.mutate`. Throws if the write is refused. */
  async mutate(mutation: ObjectMutation): Promise<void> {
    const reinvocation = this.#reinvocations.get(mutation) ?? new Reinvocation();
    this.#reinvocations.set(mutation, reinvocation);
    const budget = new RequestBudget();
    const faults: PolicyFault[] = [];
    const before = mutation.object;
    reinvocation.startRound(before);
    for (const invocation of await this.#invocations(mutation, faults, budget)) {
      await this.#invokeWithinBudget(mutation, invocation, { faults, budget, reinvocation });
    }
    reinvocation.endRound(mutation.object);
    if (mutation.object !== before) mutation.requestReinvocation();
    if (faults.length > 0) throw refusal(mutation, faults);
  }

  /**
   * Returns the policies, bindings and parameters that match the write. Later changes of the object do not change which
   * policies apply.
   */
  async #invocations(
    mutation: ObjectMutation,
    faults: PolicyFault[],
    budget: RequestBudget,
  ): Promise<readonly Invocation[]> {
    const [policies, bindings] = [this.#options.policies(), this.#options.bindings()];
    if (policies === undefined || bindings === undefined) return [];
    const bindingsByPolicy = groupBindings<MutatingBindingSpec>(bindings);
    const request = matchedRequest(this.#options.plane(), writeOfMutation(mutation));
    const slices = new WorkBudget(POLICIES_PER_SLICE, mutation.write.context.nextTimeSlice);
    const found: Invocation[] = [];
    for (const { object } of policies.peekAll()) {
      if (slices.spend(1)) await slices.next();
      const spec = (object.spec ?? {}) as unknown as MutatingPolicySpec;
      const version = matchedVersion(spec.matchConstraints, request);
      if (version === undefined) continue;
      for (const binding of bindingsByPolicy.get(object.metadata.name ?? '') ?? []) {
        const matched = { store: policies, object, spec, binding, version };
        found.push(...(await this.#withParams(mutation, matched, request, { faults, budget })));
      }
    }
    return found;
  }

  async #withParams(
    mutation: ObjectMutation,
    matched: Omit<Invocation, 'param'>,
    request: MatchedRequest,
    { faults, budget }: { readonly faults: PolicyFault[]; readonly budget: RequestBudget },
  ): Promise<readonly Invocation[]> {
    const { binding, spec } = matched;
    if (matchedVersion(binding.spec.matchResources, request) === undefined) return [];
    const { nextTimeSlice } = mutation.write.context;
    const namespace = namespaceOfWrite(writeOfMutation(mutation));
    const source = { kind: spec.paramKind, reference: binding.spec.paramRef, namespace };
    try {
      const params = await collectParams({ stores: this.#options.plane().kinds, ...source }, { budget, nextTimeSlice });
      return params.map((param) => ({ ...matched, param }));
    } catch (error) {
      if (!(error instanceof PolicyBindingError)) throw error;
      addFault(faults, matched, `failed to configure binding: ${error.message}`, 'Forbidden');
      return [];
    }
  }

  /** Applies one policy. Refuses the write immediately if the policies of the write exceed their common budget. */
  async #invokeWithinBudget(mutation: ObjectMutation, invocation: Invocation, state: RoundState): Promise<void> {
    try {
      await this.#invoke(mutation, invocation, state);
    } catch (error) {
      if (!(error instanceof RequestBudgetExceeded)) throw error;
      throw refusal(mutation, [faultOf(invocation, error.message, 'Invalid')]);
    }
  }

  async #invoke(mutation: ObjectMutation, invocation: Invocation, state: RoundState): Promise<void> {
    const { object: policyObject, spec } = invocation;
    const { faults, budget, reinvocation } = state;
    const { nextTimeSlice } = mutation.write.context;
    const compile = async () => compileMutatingPolicy(await loadParser(), spec);
    const policy = await this.#compiled.get(invocation.store, policyObject, compile);
    budget.spend(EVALUATION_COST);
    const input = { ...this.#input(mutation, invocation, budget), policy };
    const key = keyOf(invocation);
    try {
      const unmet = await evaluateConditions({ ...input, nextTimeSlice });
      if (unmet === 'unmet') return;
      if (unmet !== undefined) return addFault(faults, invocation, unmet.error, 'Invalid');
    } catch (error) {
      if (!(error instanceof CostBudgetExceeded)) throw error;
      return addFault(faults, invocation, error.message, 'Invalid');
    }
    if (mutation.isReinvocation && !reinvocation.mustCallAgain(key)) return;
    const before = mutation.object;
    for (const index of policy.mutations.keys()) {
      await nextTimeSlice?.();
      this.#patch(mutation, invocation, { ...state, policy, index });
    }
    if (!equalJson(before as JsonValue, mutation.object as JsonValue)) reinvocation.changed();
    else mutation.object = before;
    if (spec.reinvocationPolicy === 'IfNeeded') reinvocation.mayCallAgain(key);
  }

  /** Evaluates one mutation and changes the object. An error leaves the object as it was. */
  #patch(
    mutation: ObjectMutation,
    invocation: Invocation,
    { faults, budget, policy, index }: RoundState & { readonly policy: CompiledMutatingPolicy; readonly index: number },
  ): void {
    const compiled = policy.mutations[index];
    if (compiled === undefined) return;
    const size = jsonSize(mutation.object as JsonValue, MAX_SIZE) ?? MAX_SIZE;
    budget.spend(EVALUATION_COST + Math.ceil(size / BYTES_PER_UNIT));
    try {
      const run = new PolicyRun({
        ...this.#input(mutation, invocation, budget),
        policy,
        budget: MUTATION_COST_BUDGET,
      });
      const result = run.evaluate(compiled.expression);
      if ('error' in result) addFault(faults, invocation, result.error, 'Invalid');
      else {
        mutation.changeIn(invocation.version, (write, object) =>
          applyMutation(write, object, compiled.patchType, result.value),
        );
      }
    } catch (error) {
      if (!(error instanceof MutationError) && !(error instanceof CostBudgetExceeded)) throw error;
      addFault(faults, invocation, error.message, 'Invalid');
    }
  }

  #input(
    mutation: ObjectMutation,
    { version, param }: Invocation,
    requestBudget: RequestBudget,
  ): Pick<PolicyRunOptions, 'values' | 'checkAccess' | 'requestBudget'> {
    const { user } = mutation.write.context;
    return {
      values: policyValues(this.#options.plane(), writeOfMutation(mutation), version, param),
      checkAccess: (check) => checkAccess(this.#options, user, check),
      requestBudget,
    };
  }
}

/** The cost budget of one mutation, in Kubernetes' cost units. */
const MUTATION_COST_BUDGET = 10_000_000;

/** The state of one round of a mutation. */
interface RoundState {
  readonly faults: PolicyFault[];
  readonly budget: RequestBudget;
  readonly reinvocation: Reinvocation;
}

function keyOf({ object, binding, param }: Invocation): string {
  const { namespace = '', name = '' } = param?.metadata ?? {};
  return [object.metadata.name, binding.name, namespace, name].join('/');
}

type FaultSource = Pick<Invocation, 'object' | 'binding' | 'spec'>;

function faultOf({ object, binding }: FaultSource, message: string, reason: StatusReason): PolicyFault {
  return { policy: object.metadata.name ?? '', binding: binding.name, message, reason };
}

function addFault(faults: PolicyFault[], source: FaultSource, message: string, reason: StatusReason): void {
  if (source.spec.failurePolicy !== 'Ignore') faults.push(faultOf(source, message, reason));
}

/** The maximum number of causes in an error response. */
const MAX_CAUSES = 100;

/** Returns the error of a write that policies refuse. As in Kubernetes, its code is 403 whatever the reason is. */
function refusal({ write, object }: ObjectMutation, faults: readonly PolicyFault[]): StatusError {
  const messages = faults
    .slice(0, MAX_CAUSES)
    .map(({ policy, binding, message }) => `policy '${policy}' with binding '${binding}' denied request: ${message}`);
  const causes = messages.map((message) => ({ message }));
  // The name of a new object is possibly not generated yet.
  const name = object.metadata.name || object.metadata.generateName || 'Unknown';
  const { status } = forbidden(groupResourceOf(write.resource), name, '', causes);
  const [first] = faults;
  return new StatusError({ ...status, message: messages[0] ?? '', reason: first?.reason ?? 'Forbidden' });
}
