import type { JsonObject } from '@flotilla/json';
import { type Condition, setCondition } from '../../api/conditions.ts';
import type { sleepKeepsDataCondition } from '../../api/management/sleep-reasons.ts';
import type { instanceConditionTypes } from '../../api/management/v1/virtual-cluster-instance.ts';
import { createMergePatch } from './create-merge-patch.ts';
import { type Instance, type InstanceProfile, type InstanceStatus, profileOf } from './instance-profile.ts';

export type InstancePhase = 'Pending' | 'Ready' | 'Sleeping' | 'Failed';

/** The types of conditions. Most instances lack the condition `SleepKeepsData`, but have all others. */
export type InstanceCondition = (typeof instanceConditionTypes)[number] | typeof sleepKeepsDataCondition;

/** The reason of a status: a CamelCase identifier for programs, and a message that explains to users what to do. */
export interface StatusReason {
  readonly reason: string;
  readonly message: string;
}

/** Collects the status that one reconcile determines, so that the status is written once at its end. */
export class StatusDraft {
  readonly #before: InstanceStatus;
  readonly #profile: InstanceProfile;
  readonly #generation: number;
  readonly #now: number;
  readonly #members: InstanceStatus;
  #conditions: Condition[];

  constructor(instance: Instance, now: number) {
    this.#profile = profileOf(instance);
    this.#before = instance.status ?? {};
    this.#members = { ...this.#before };
    this.#conditions = this.#before.conditions ?? [];
    this.#generation = instance.metadata.generation ?? 0;
    this.#now = now;
  }

  setCondition(type: InstanceCondition, status: Condition['status'], { reason, message }: StatusReason): void {
    const condition = { type, status, reason, message, observedGeneration: this.#generation };
    this.#conditions = setCondition(this.#conditions, condition, this.#now);
  }

  removeCondition(type: InstanceCondition): void {
    this.#conditions = this.#conditions.filter((condition) => condition.type !== type);
  }

  /** Sets the condition about the virtual cluster or the namespace on the host. */
  setInstalled(status: Condition['status'], why: StatusReason): void {
    this.setCondition(this.#profile.installedCondition, status, why);
  }

  /** Sets the condition about the API of the virtual cluster. Does nothing for a space. */
  setResponds(status: Condition['status'], why: StatusReason): void {
    if (this.#profile.respondsCondition !== undefined) this.setCondition(this.#profile.respondsCondition, status, why);
  }

  /** Sets a member of the status. The value `undefined` removes the member. */
  set<Member extends keyof InstanceStatus>(member: Member, value: InstanceStatus[Member] | undefined): void {
    if (value === undefined) delete this.#members[member];
    else this.#members[member] = value;
  }

  /**
   * Sets the phase and the Ready condition, which summarize the other conditions. Also sets the generation that phase
   * and conditions describe. If a reconcile fails before this call, the generation stays unchanged, so tools continue
   * to wait.
   */
  setPhase(phase: InstancePhase, why: StatusReason): void {
    this.setCondition('Ready', phase === 'Ready' ? 'True' : 'False', why);
    this.set('observedGeneration', this.#generation);
    this.set('phase', phase);
    this.set('reason', why.reason);
    this.set('message', why.message);
  }

  /** True if this reconcile rendered the template and the result differs from the stored result. */
  get hasNewTemplateResult(): boolean {
    return this.#members.renderedFrom !== this.#before.renderedFrom;
  }

  get phase(): string {
    return this.#members.phase ?? '';
  }

  get reason(): string | undefined {
    return this.#members.reason;
  }

  /** Returns the merge patch for the status; `undefined` if nothing changed. */
  patch(): JsonObject | undefined {
    return createMergePatch(this.#before, {
      ...this.#members,
      ...(this.#conditions.length === 0 ? {} : { conditions: this.#conditions }),
    });
  }
}
