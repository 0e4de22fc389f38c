import { equalJson, type JsonValue } from '@flotilla/json';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import { StatusError } from '../../api/status.ts';
import type { Log } from '../../lib/log.ts';
import type { KindChange, KindStore } from '../../registry/kind-store.ts';
import { peekWithoutManagedFields } from '../../registry/verbs.ts';
import { systemContext } from '../system-context.ts';
import { aggregatedRules, equalRules, isAggregatedRole, isSelectedByAggregation } from './aggregated-rules.ts';
import { differsFromDefaults, findSharedRbacObject, listSharedRbacObjects } from './shared-objects.ts';

const manager = 'clusterrole-aggregation-controller';

/**
 * Updates the rules of aggregated cluster roles when the roles they select change. Runs only in loaded planes. When a
 * plane is loaded, `reconcile` completes the work that a crash or an unload has interrupted, before the plane serves
 * requests. So no work needs to be stored.
 */
export class AggregationController {
  readonly #clusterRoles: KindStore;
  readonly #log: Log;
  readonly #unlisten: () => void;
  /**
   * The aggregated roles by name. `#selected` contains the roles that the aggregated roles select. The controller
   * ignores changes to roles that are in neither map.
   */
  readonly #aggregated = new Map<string, KubeObject>();
  readonly #selected = new Map<string, KubeObject>();
  #isStopped = false;
  #isStale: boolean;
  /** The number of passes over all aggregated roles since the last change that this controller did not make itself. */
  #passes = 0;
  #writing: { readonly name: string; readonly rules: readonly PolicyRule[] } | undefined;
  #work: Promise<void> | undefined;

  constructor(clusterRoles: KindStore, log: Log) {
    this.#clusterRoles = clusterRoles;
    this.#log = log;
    const all = listSharedRbacObjects(clusterRoles);
    for (const role of all) if (isAggregatedRole(role)) this.#aggregated.set(nameOf(role), role);
    this.#findSelected(all);
    this.#isStale = differsFromDefaults(clusterRoles);
    this.#unlisten = clusterRoles.listen((change) => this.#onChange(change));
  }

  /** Resolves after all rules are up to date, or after an update has failed. Never rejects. */
  reconcile(): Promise<void> {
    this.#work ??= this.#run();
    return this.#work;
  }

  stop(): void {
    this.#isStopped = true;
    this.#unlisten();
  }

  #onChange({ before, after }: KindChange): void {
    const now = after && peekWithoutManagedFields(after);
    const name = nameOf(now ?? (before && peekWithoutManagedFields(before)));
    const wasSelected = this.#selected.delete(name);
    const previous = this.#aggregated.get(name);
    const isAggregatedNow = now !== undefined && isAggregatedRole(now);
    if (isAggregatedNow) this.#aggregated.set(name, now);
    else this.#aggregated.delete(name);
    if (!equalJson(previous?.aggregationRule, isAggregatedNow ? now.aggregationRule : undefined)) {
      this.#findSelected(listSharedRbacObjects(this.#clusterRoles));
    } else if (now !== undefined && this.#isSelected(now)) {
      this.#selected.set(name, now);
    }
    if (!isAggregatedNow && !wasSelected && !this.#selected.has(name)) return;
    this.#isStale = true;
    if (now === undefined || !this.#isOwnWrite(now)) this.#passes = 0;
    void this.reconcile();
  }

  #findSelected(all: readonly KubeObject[]): void {
    this.#selected.clear();
    for (const role of all) if (this.#isSelected(role)) this.#selected.set(nameOf(role), role);
  }

  #isSelected(role: KubeObject): boolean {
    for (const one of this.#aggregated.values()) if (one !== role && isSelectedByAggregation(role, one)) return true;
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
    // Waits until `reconcile` has set `#work`. A run that finds nothing to do would otherwise reset `#work` before it
    // is set.
    await Promise.resolve();
    try {
      while (this.#isStale && !this.#isStopped && this.#passes <= this.#aggregated.size) {
        this.#isStale = false;
        this.#passes++;
        for (const name of [...this.#aggregated.keys()]) await this.#updateRole(name);
      }
    } catch (error) {
      if (!this.#isStopped) this.#log.error({ error }, 'failed to update aggregated cluster roles');
    } finally {
      this.#passes = 0;
      this.#work = undefined;
    }
  }

  async #updateRole(name: string): Promise<void> {
    const role = findSharedRbacObject(this.#clusterRoles, '', name);
    if (role === undefined || this.#isStopped) return;
    const rules = aggregatedRules(role, [...this.#selected.values()]);
    if (!equalRules(rules, rulesOf(role))) await this.#write(name, rules);
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
    this.#writing = { name, rules };
    try {
      await this.#clusterRoles.verbs.patch(systemContext(''), name, { type: 'apply', object }, options);
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
