import { loadParser } from '@flotilla/cel';
import { equalJson, isJsonObject, type JsonValue, writeJson } from '@flotilla/json';
import { DecodeError } from '../../api/decode/decode-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden, internalError, type StatusError } from '../../api/status.ts';
import { toPrintedForm } from '../../api/structs/printed-form.ts';
import { endSpanWith } from '../../lib/trace/span.ts';
import { WorkBudget } from '../../lib/work-budget.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MutationAttributes } from '../../registry/mutation-attributes.ts';
import { applyAdmissionPatch, InapplicablePatchError } from '../../registry/patch/json-patch.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { ObjectMutation } from '../object-mutation.ts';
import type { AdmissionAttributes } from '../plane-part.ts';
import { type CompiledCondition, PolicyCompiler } from '../policies/compile-policy.ts';
import { CompiledPolicies } from '../policies/compiled-policies.ts';
import { evaluateConditions } from '../policies/evaluate-conditions.ts';
import { matchedVersion } from '../policies/matched-version.ts';
import {
  type AccessAuthorizer,
  type AdmittedWrite,
  checkAccess,
  matchedRequest,
  policyValues,
  writeOfMutation,
} from '../policies/policy-input.ts';
import { CostBudgetExceeded } from '../policies/policy-run.ts';
import { PARAMETER_COST, RequestBudget, RequestBudgetExceeded } from '../policies/request-budget.ts';
import { Reinvocation } from '../reinvocation.ts';
import {
  denial,
  InvalidReviewError,
  MAX_TEXT,
  type ReviewResponse,
  readReview,
  reviewRequest,
} from './admission-review.ts';
import { WebhookCallError, type WebhookClient } from './webhook-client.ts';
import { type Webhook, webhooksOf } from './webhook-spec.ts';

export interface AdmissionWebhooksOptions extends AccessAuthorizer {
  readonly client: WebhookClient;
  validating(): KindStore | undefined;
  mutating(): KindStore | undefined;
  plane(): ControlPlane;
}

/** A call of a webhook that matches a write. */
interface Invocation {
  readonly hook: Webhook;
  readonly configuration: string;
  /** The version of the object's kind in which the webhook gets the object. */
  readonly version: string;
  /** The position of the webhook among all webhooks of the plane, for the audit log. */
  readonly index: number;
}

/** The number of webhooks that are compared with a write in one time slice. */
const WEBHOOKS_PER_SLICE = 100;

/** Calls the admission webhooks of a plane for each write. */
export class AdmissionWebhooks {
  readonly #options: AdmissionWebhooksOptions;
  readonly #validatingConditions = new CompiledPolicies<readonly CompiledCondition[][]>();
  readonly #mutatingConditions = new CompiledPolicies<readonly CompiledCondition[][]>();
  readonly #reinvocations = new WeakMap<ObjectMutation, Reinvocation>();

  constructor(options: AdmissionWebhooksOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#validatingConditions.stop();
    this.#mutatingConditions.stop();
  }

  get isMutating(): boolean {
    return (this.#options.mutating()?.count() ?? 0) > 0;
  }

  /** Implements `PlanePart.mutate`: calls the mutating webhooks, one after the other. */
  async mutate(mutation: ObjectMutation): Promise<void> {
    const store = this.#options.mutating();
    if (store === undefined) return;
    const reinvocation = this.#reinvocations.get(mutation) ?? new Reinvocation();
    this.#reinvocations.set(mutation, reinvocation);
    reinvocation.startRound(mutation.object);
    const budget = new RequestBudget();
    for await (const invocation of this.#invocations(store, () => writeOfMutation(mutation), budget)) {
      const key = `${invocation.configuration}/${invocation.hook.name}`;
      if (mutation.isReinvocation && !reinvocation.mustCallAgain(key)) continue;
      if (await this.#mutateOnce(mutation, invocation)) {
        reinvocation.changed();
        mutation.requestReinvocation();
      }
      if (invocation.hook.reinvocationPolicy === 'IfNeeded') reinvocation.mayCallAgain(key);
    }
    reinvocation.endRound(mutation.object);
  }

  /**
   * Implements `PlanePart.admit`: calls the validating webhooks at the same time. For a delete, calls the mutating
   * webhooks too.
   */
  admit(write: AdmissionAttributes): Promise<void> | undefined {
    const validating = this.#options.validating();
    const mutating = write.operation === 'DELETE' ? this.#options.mutating() : undefined;
    if ((validating?.count() ?? 0) === 0 && (mutating?.count() ?? 0) === 0) return undefined;
    return this.#admit(write, validating, mutating);
  }

  async #admit(
    write: AdmissionAttributes,
    validating: KindStore | undefined,
    mutating: KindStore | undefined,
  ): Promise<void> {
    const budget = new RequestBudget();
    if (mutating !== undefined) {
      for await (const invocation of this.#invocations(mutating, () => write, budget)) {
        const response = await this.#call(invocation, write, true, 0);
        if ((response?.patch.length ?? 0) > 0) throw cannotModify(invocation.hook);
      }
    }
    if (validating === undefined) return;
    const invocations: Invocation[] = [];
    for await (const invocation of this.#invocations(validating, () => write, budget)) invocations.push(invocation);
    const results = await Promise.allSettled(invocations.map((one) => this.#call(one, write, false, 0)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** Calls one mutating webhook and applies its patch. Returns true if the object has changed. */
  async #mutateOnce(mutation: ObjectMutation, invocation: Invocation): Promise<boolean> {
    const round = mutation.isReinvocation ? 1 : 0;
    const response = await this.#call(invocation, writeOfMutation(mutation), true, round);
    const before = mutation.object;
    if (response !== undefined && response.patch.length > 0) {
      mutation.changeIn(invocation.version, (write, object) => patchedObject(write, object, response.patch));
    }
    const mutated = !equalJson(before as JsonValue, mutation.object as JsonValue);
    const { hook, configuration, index } = invocation;
    mutation.write.context.annotateByAdmission?.(
      `mutation.webhook.admission.k8s.io/round_${round}_index_${index}`,
      writeJson({ configuration, webhook: hook.name ?? '', mutated }),
    );
    return mutated;
  }

  /**
   * Calls a webhook. Returns `undefined` if the call fails and the failurePolicy of the webhook is Ignore. Throws if
   * the webhook denies the write.
   */
  async #call(
    { hook, version, index }: Invocation,
    write: AdmittedWrite,
    isMutating: boolean,
    round: number,
  ): Promise<ReviewResponse | undefined> {
    const { name = '' } = hook;
    const { context } = write;
    let response: ReviewResponse;
    try {
      response = await this.#review(hook, write, version, isMutating);
    } catch (error) {
      const message = callFailure(error);
      if (message === undefined) throw error;
      if (hook.failurePolicy !== 'Ignore') {
        throw internalError(`failed calling webhook ${JSON.stringify(name)}: ${message}`);
      }
      const kind = isMutating ? 'mutation' : 'validating';
      context.annotateByAdmission?.(`failed-open.${kind}.webhook.admission.k8s.io/round_${round}_index_${index}`, name);
      return undefined;
    }
    for (const [key, value] of response.auditAnnotations) context.annotateByAdmission?.(`${name}/${key}`, value);
    for (const warning of response.warnings) context.warn(warning);
    if (!response.allowed) throw denial(name, response.status);
    return response;
  }

  async #review(hook: Webhook, write: AdmittedWrite, version: string, isMutating: boolean): Promise<ReviewResponse> {
    const { url, service, caBundle } = hook.clientConfig ?? {};
    if (url === undefined) {
      const { namespace = '', name = '' } = service ?? {};
      throw new WebhookCallError(
        `service "${namespace}/${name}" cannot be reached: nothing runs the services of a virtual cluster on the built-in host; use clientConfig.url`,
      );
    }
    const request = reviewRequest(hook, write, version);
    const { signal, nextTimeSlice } = write.context;
    const span = write.context.span?.child('admission webhook', 'client').set('flotilla.webhook', hook.name ?? '');
    const called = this.#options.client.post({
      url,
      authority:
        caBundle === undefined || caBundle === '' ? undefined : Buffer.from(caBundle, 'base64').toString('utf8'),
      body: request.body,
      timeoutSeconds: hook.timeoutSeconds ?? 10,
      traceparent: span?.traceparent,
      signal,
      nextTimeSlice,
    });
    const { status, body } = await endSpanWith(span, called);
    if (status < 200 || status > 299) {
      const why = status >= 300 && status < 400 ? '; redirects are not followed' : '';
      throw new WebhookCallError(`the webhook answered with status ${status}${why}`);
    }
    return readReview(body, request, isMutating);
  }

  /**
   * Yields the webhooks of one kind of configuration that match a write, in order. `current` returns the write in its
   * current state, because mutating webhooks change it between two yields.
   */
  async *#invocations(
    store: KindStore,
    current: () => AdmittedWrite,
    budget: RequestBudget,
  ): AsyncIterable<Invocation> {
    const slices = new WorkBudget(WEBHOOKS_PER_SLICE, current().context.nextTimeSlice);
    let index = -1;
    for (const { object } of store.peekAll()) {
      for (const [position, hook] of webhooksOf(object).entries()) {
        index++;
        if (slices.spend(1)) await slices.next();
        const write = current();
        this.#spend(budget, write, hook);
        const version = this.#matchedVersion(hook, write);
        if (version === undefined) continue;
        const matched = { hook, configuration: object.metadata.name ?? '', version, index };
        if (await this.#meetsConditions(store, object, position, { ...matched, write, budget })) yield matched;
      }
    }
  }

  #spend(budget: RequestBudget, { resource, draft }: AdmittedWrite, { name = '' }: Webhook): void {
    try {
      budget.spend(PARAMETER_COST);
    } catch (error) {
      if (!(error instanceof RequestBudgetExceeded)) throw error;
      throw forbidden(
        groupResourceOf(resource),
        draft.object.metadata.name ?? '',
        `webhook "${name}": ${error.message}`,
      );
    }
  }

  #matchedVersion(hook: Webhook, write: AdmittedWrite): string | undefined {
    const { rules = [], namespaceSelector, objectSelector, matchPolicy } = hook;
    if (rules.length === 0) return undefined;
    const match = { namespaceSelector, objectSelector, matchPolicy, resourceRules: [...rules] };
    return matchedVersion(match as Parameters<typeof matchedVersion>[0], matchedRequest(this.#options.plane(), write));
  }

  async #meetsConditions(
    store: KindStore,
    configuration: KubeObject,
    position: number,
    { hook, version, write, budget }: Invocation & { readonly write: AdmittedWrite; readonly budget: RequestBudget },
  ): Promise<boolean> {
    if ((hook.matchConditions ?? []).length === 0) return true;
    const isMutating = store === this.#options.mutating();
    const known = isMutating ? this.#mutatingConditions : this.#validatingConditions;
    const compiled = await known.get(store, configuration, () => compileConditions(webhooksOf(configuration)));
    const { user, nextTimeSlice } = write.context;
    let result: Awaited<ReturnType<typeof evaluateConditions>>;
    try {
      result = await evaluateConditions({
        policy: { conditions: compiled[position] ?? [], variables: new Map() },
        values: policyValues(this.#options.plane(), write, version, undefined),
        checkAccess: (check) => checkAccess(this.#options, user, check),
        requestBudget: budget,
        nextTimeSlice,
      });
    } catch (error) {
      if (!(error instanceof CostBudgetExceeded) && !(error instanceof RequestBudgetExceeded)) throw error;
      result = { error: error.message };
    }
    if (result === undefined) return true;
    if (result === 'unmet' || hook.failurePolicy === 'Ignore') return false;
    throw forbidden(groupResourceOf(write.resource), write.draft.object.metadata.name ?? '', result.error);
  }
}

async function compileConditions(hooks: readonly Webhook[]): Promise<readonly CompiledCondition[][]> {
  const compiler = new PolicyCompiler(await loadParser(), { params: false, authorizer: true });
  const compiled: CompiledCondition[][] = [];
  for (const { matchConditions = [] } of hooks) compiled.push(await compiler.compileConditions(matchConditions));
  return compiled;
}

/** Returns the reason of a failed call; `undefined` for other errors. */
function callFailure(error: unknown): string | undefined {
  if (!(error instanceof InvalidReviewError) && !(error instanceof WebhookCallError)) return undefined;
  // The message can quote the response.
  const message = error.message.slice(0, MAX_TEXT);
  return error instanceof InvalidReviewError
    ? `received invalid webhook response: ${message}`
    : `failed to call webhook: ${message}`;
}

function patchedObject(write: MutationAttributes, object: KubeObject, operations: readonly JsonValue[]): KubeObject {
  const isBuiltIn = (write.requestKind ?? write.resource).builtIn === true;
  const base = isBuiltIn ? toPrintedForm(object) : object;
  try {
    const patched = applyAdmissionPatch(base as JsonValue, [...operations]);
    if (!isJsonObject(patched)) throw new InapplicablePatchError('the result is not an object');
    return write.decode(patched).object;
  } catch (error) {
    if (error instanceof InapplicablePatchError || error instanceof DecodeError) throw internalError(error.message);
    throw error;
  }
}

function cannotModify({ name = '' }: Webhook): StatusError {
  return internalError(
    `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`,
  );
}
