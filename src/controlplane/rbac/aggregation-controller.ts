import { equalJson, type JsonValue } from '@flotilla/json';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import { StatusError } from '../../api/status.ts';
import type { Log } from '../../lib/log.ts';
import { WorkBudget } from '../../lib/work-budget.ts';
import type { KindChange, KindStore } from '../../registry/kind-store.ts';
import { peekWithoutManagedFields } from '../../registry/verbs.ts';
import type { RevisionCheck } from '../../store/store.ts';
import { systemContext } from '../system-context.ts';
import {
  aggregatedRules,
  equalRules,
  isAggregatedRole,
  isSelectedByAggregation,
  selectorCount,
} from './aggregated-rules.ts';
import { differsFromDefaults, findSharedRbacObject, listSharedRbacObjects } from './shared-objects.ts';

const manager = 'clusterrole-aggregation-controller';

/** The number of selectors to match in one tick of the event loop. Matching one takes less than a microsecond. */
const matchesPerTick = 10_000;

/** If a plane has more aggregated roles than this, a written role is not compared with all their selectors. */
const maxMatchedRoles = 20;

/**
 * Updates the rules of aggregated cluster roles when the roles that they select change. Runs only in loaded planes.
 * When a plane is loaded, `reconcile` completes the work that a crash or an unload has interrupted, before the plane
 * serves requests. So no work needs to be stored.
 *
 * If several processes use the store, other processes may have loaded the plane too, and their releases may have
 * different default roles. In this case, a write that affects aggregated roles records a maintenance row (`affects`),
 * and only the process that maintains the plane updates rules (`runTask`). A process that finds outdated rules when it
 * loads the plane requests such a task.
 */
export class AggregationController {
  readonly #clusterRoles: KindStore;
  readonly #log: Log;
  readonly #unlisten: () => void;
  /**
   * The aggregated roles by name. The map `#selected` contains the roles that the aggregated roles select. Changes to
   * roles that are in neither map have no effect.
   */
  readonly #aggregated = new Map<string, KubeObject>();
  readonly #selected = new Map<string, KubeObject>();
  /** The names of roles that have changed, and of aggregated roles whose selectors have changed. */
  readonly #changed = new Set<string>();
  readonly #changedSelectors = new Set<string>();
  /** A plane can have thousands of roles with many selectors, so matching them must not delay other requests. */
  readonly #work = new WorkBudget(matchesPerTick);
  #isStopped = false;
  #isStale: boolean;
  /** The number of passes over all aggregated roles since the last change that this controller did not make itself. */
  #passes = 0;
  #writing: { readonly name: string; readonly rules: readonly PolicyRule[] } | undefined;
  #running: Promise<void> | undefined;
  /** The maintenance task that runs now. */
  #task: { readonly fence: RevisionCheck | undefined } | undefined;
  #failure: unknown;

  constructor(clusterRoles: KindStore, log: Log) {
    this.#clusterRoles = clusterRoles;
    this.#log = log;
    for (const role of listSharedRbacObjects(clusterRoles)) {
      if (isAggregatedRole(role)) this.#aggregated.set(nameOf(role), role);
    }
    for (const name of this.#aggregated.keys()) this.#changedSelectors.add(name);
    this.#isStale = differsFromDefaults(clusterRoles);
    this.#unlisten = clusterRoles.listen((change) => this.#onChange(change));
  }

  /** The number of aggregated roles. */
  get roleCount(): number {
    return this.#aggregated.size;
  }

  /**
   * Resolves after all rules are up to date, or are requested to be updated, or after an update has failed. Never rejects.
   */
  reconcile(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /**
   * Updates all rules in a maintenance task. All writes of the task contain the check `fence`. Rejects if an update has
   * failed.
   */
  async runTask(fence: RevisionCheck | undefined): Promise<void> {
    // A run that started before this task may have missed the change that caused the task.
    await this.#running;
    this.#task = { fence };
    this.#isStale = true;
    await this.reconcile();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * True if the change of a role may change the rules of aggregated roles. False for the controller's own writes: the
   * controller continues by itself after its writes. Also, roles that aggregate each other in a cycle may never
   * converge.
   */
  affects(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
    if (after !== undefined && this.#isOwnWrite(after)) return false;
    const roles = [before, after].filter((role) => role !== undefined);
    if (roles.some(isAggregatedRole) || this.#aggregated.size > maxMatchedRoles) return true;
    return [...this.#aggregated.values()].some((one) => roles.some((role) => isSelectedByAggregation(role, one)));
  }

  stop(): void {
    this.#isStopped = true;
    this.#unlisten();
  }

  #onChange({ before, after }: KindChange): void {
    const now = after && peekWithoutManagedFields(after);
    const name = nameOf(now ?? (before && peekWithoutManagedFields(before)));
    const previous = this.#aggregated.get(name);
    const isAggregatedNow = now !== undefined && isAggregatedRole(now);
    if (isAggregatedNow) this.#aggregated.set(name, now);
    else this.#aggregated.delete(name);
    const hasNewSelectors = isAggregatedNow && !equalJson(previous?.aggregationRule, now.aggregationRule);
    if (hasNewSelectors) this.#changedSelectors.add(name);
    if (this.#aggregated.size === 0 && this.#selected.size === 0) return;
    this.#changed.add(name);
    if (now === undefined || !this.#isOwnWrite(now)) this.#passes = 0;
    if (!this.#clusterRoles.isShared) void this.reconcile();
  }

  /** Updates `#selected` after changes of roles and selectors. */
  async #matchChanges(): Promise<void> {
    for (const name of this.#changed) {
      this.#changed.delete(name);
      const wasSelected = this.#selected.delete(name);
      const role = findSharedRbacObject(this.#clusterRoles, '', name);
      if (role !== undefined && (await this.#isSelected(role))) this.#selected.set(name, role);
      if (wasSelected || this.#selected.has(name) || this.#aggregated.has(name)) this.#isStale = true;
    }
    for (const name of this.#changedSelectors) {
      this.#changedSelectors.delete(name);
      await this.#selectRoles(name);
    }
  }

  /** Adds the roles that an aggregated role selects to `#selected`. */
  async #selectRoles(name: string): Promise<void> {
    const aggregated = this.#aggregated.get(name);
    if (aggregated === undefined) return;
    for (const role of listSharedRbacObjects(this.#clusterRoles)) {
      const isOther = nameOf(role) !== name && !this.#changed.has(nameOf(role));
      if (isOther && isSelectedByAggregation(role, aggregated)) this.#selected.set(nameOf(role), role);
      if (this.#work.spend(selectorCount(aggregated))) await this.#work.next();
    }
  }

  async #isSelected(role: KubeObject): Promise<boolean> {
    for (const one of [...this.#aggregated.values()]) {
      if (nameOf(one) !== nameOf(role) && isSelectedByAggregation(role, one)) return true;
      if (this.#work.spend(selectorCount(one))) await this.#work.next();
    }
    return false;
  }

  #isOwnWrite(role: KubeObject): boolean {
    return this.#writing?.name === nameOf(role) && equalRules(rulesOf(role), this.#writing.rules);
  }

  /**
   * Repeats passes over all aggregated roles until no rule changes. A chain of N roles needs N passes. Roles that
   * aggregate each other in a cycle may never converge, so the number of passes is limited.
   */
  async #run(): Promise<void> {
    // Waits until `reconcile` has set `#running`. A run that finds nothing to do would otherwise reset `#running` before
    // it is set.
    await Promise.resolve();
    try {
      while (!this.#isStopped) {
        await this.#matchChanges();
        // A change can arrive between the end of the matching and the continuation here.
        if (this.#changed.size > 0 || this.#changedSelectors.size > 0) continue;
        if (!this.#isStale || this.#passes > this.#aggregated.size) break;
        this.#isStale = false;
        this.#passes++;
        for (const name of [...this.#aggregated.keys()]) await this.#updateRole(name);
      }
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
      if (!this.#isStopped && this.#task === undefined)
        this.#log.error({ error }, 'failed to update aggregated cluster roles');
    } finally {
      this.#passes = 0;
      this.#task = undefined;
      this.#running = undefined;
    }
  }

  async #updateRole(name: string): Promise<void> {
    const role = findSharedRbacObject(this.#clusterRoles, '', name);
    if (role === undefined || this.#isStopped) return;
    if (this.#work.spend(this.#selected.size * selectorCount(role))) await this.#work.next();
    const rules = aggregatedRules(role, [...this.#selected.values()]);
    if (rules === undefined)
      this.#log.warn({ clusterRole: name }, 'the rules of an aggregated cluster role are too large');
    else if (equalRules(rules, rulesOf(role))) return;
    else if (this.#clusterRoles.isShared && this.#task === undefined)
      await this.#clusterRoles.requestReconcile('', name);
    else await this.#write(name, rules);
  }

  /**
   * Writes the rules. The UID in the patch prevents the patch from creating a role again that was deleted concurrently.
   */
  async #write(name: string, rules: readonly PolicyRule[]): Promise<void> {
    const { kind } = clusterRoleKind;
    const uid = this.#clusterRoles.peek('', name)?.object.metadata.uid ?? '';
    const apiVersion = apiVersionOf(clusterRoleKind);
    const object = { apiVersion, kind, metadata: { name, uid }, rules } as unknown as JsonValue;
    const options = { dryRun: false, fieldManager: manager, fieldValidation: 'Strict', force: true } as const;
    const context = systemContext('', undefined, this.#task?.fence);
    this.#writing = { name, rules };
    try {
      await this.#clusterRoles.verbs.patch(context, name, { type: 'apply', object }, options);
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 409) throw error;
    } finally {
      this.#writing = undefined;
    }
  }
}

function nameOf(role: KubeObject | undefined): string {
  return role?.metadata.name ?? '';
}
