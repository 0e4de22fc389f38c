import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import { StatusError } from '../../api/status.ts';
import { equalJson, type JsonValue } from '../../lib/json-value.ts';
import type { Log } from '../../lib/log.ts';
import type { KindChange, KindStore } from '../../registry/kind-store.ts';
import { glanceAt } from '../../registry/verbs.ts';
import { systemContext } from '../system-context.ts';
import { aggregatedRules, givesTo, isAggregated, sameRules } from './aggregate.ts';
import { isTouched, sharedObject, sharedObjects } from './shared-objects.ts';

const manager = 'clusterrole-aggregation-controller';

/**
 * Keeps the rules of aggregated cluster roles as those that their selectors find. It works by change while the plane is
 * loaded; what a crash or an unload cut short is made good by `settle` when the plane is loaded again, before anybody
 * can look, so no work has to be remembered for a plane that is put away.
 */
export class KeepAggregated {
  readonly #clusterRoles: KindStore;
  readonly #log: Log;
  readonly #unlisten: () => void;
  /** By name, and so are those that give to any of them: nothing else is looked at when a role changes. */
  readonly #aggregated = new Map<string, KubeObject>();
  readonly #givers = new Map<string, KubeObject>();
  #isStopped = false;
  #isStale: boolean;
  /** Since somebody else changed something. */
  #passes = 0;
  #writing: { readonly name: string; readonly rules: readonly PolicyRule[] } | undefined;
  #work: Promise<void> | undefined;

  constructor(clusterRoles: KindStore, log: Log) {
    this.#clusterRoles = clusterRoles;
    this.#log = log;
    const all = sharedObjects(clusterRoles);
    for (const role of all) if (isAggregated(role)) this.#aggregated.set(nameOf(role), role);
    this.#findGivers(all);
    this.#isStale = isTouched(clusterRoles);
    this.#unlisten = clusterRoles.listen((change) => this.#see(change));
  }

  /** Resolves when the rules are as they should be, or cannot be brought there now. Never rejects. */
  settle(): Promise<void> {
    this.#work ??= this.#run();
    return this.#work;
  }

  stop(): void {
    this.#isStopped = true;
    this.#unlisten();
  }

  #see({ before, after }: KindChange): void {
    const now = after && glanceAt(after);
    const name = nameOf(now ?? (before && glanceAt(before)));
    const gave = this.#givers.delete(name);
    const followed = this.#aggregated.get(name);
    const follows = now !== undefined && isAggregated(now);
    if (follows) this.#aggregated.set(name, now);
    else this.#aggregated.delete(name);
    if (!equalJson(followed?.aggregationRule, follows ? now.aggregationRule : undefined)) {
      this.#findGivers(sharedObjects(this.#clusterRoles));
    } else if (now !== undefined && this.#gives(now)) {
      this.#givers.set(name, now);
    }
    if (!follows && !gave && !this.#givers.has(name)) return;
    this.#isStale = true;
    if (now === undefined || !this.#isOwn(now)) this.#passes = 0;
    void this.settle();
  }

  #findGivers(all: readonly KubeObject[]): void {
    this.#givers.clear();
    for (const role of all) if (this.#gives(role)) this.#givers.set(nameOf(role), role);
  }

  #gives(role: KubeObject): boolean {
    for (const one of this.#aggregated.values()) if (one !== role && givesTo(role, one)) return true;
    return false;
  }

  #isOwn(role: KubeObject): boolean {
    return this.#writing?.name === nameOf(role) && sameRules(rulesOf(role), this.#writing.rules);
  }

  /**
   * A chain of roles is through after as many passes as it is long. Roles that follow each other in a ring need not ever
   * be: they are left when that many have changed nothing but what others changed before.
   */
  async #run(): Promise<void> {
    // Not before `settle` holds the promise: where nothing is to be done, this ends without ever waiting.
    await Promise.resolve();
    try {
      while (this.#isStale && !this.#isStopped && this.#passes <= this.#aggregated.size) {
        this.#isStale = false;
        this.#passes++;
        for (const name of [...this.#aggregated.keys()]) await this.#bringUpToDate(name);
      }
    } catch (error) {
      if (!this.#isStopped) this.#log.error({ error }, 'aggregated cluster roles could not be brought up to date');
    } finally {
      this.#passes = 0;
      this.#work = undefined;
    }
  }

  async #bringUpToDate(name: string): Promise<void> {
    const role = sharedObject(this.#clusterRoles, '', name);
    if (role === undefined || this.#isStopped) return;
    const rules = aggregatedRules(role, [...this.#givers.values()]);
    if (!sameRules(rules, rulesOf(role))) await this.#write(name, rules);
  }

  /** With the uid, so that a role that is deleted meanwhile is not made again. */
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
