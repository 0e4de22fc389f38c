import type { Host } from '../../../hosts/host.ts';
import type { InstanceDependencies } from '../instance-dependencies.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';
import type { StatusDraft } from '../status-draft.ts';

/** The state that all steps of one reconcile of an instance share. */
export interface StepContext {
  readonly snapshot: InstanceSnapshot;
  /** The new status, which the steps fill and the end of the reconcile writes. */
  readonly draft: StatusDraft;
  readonly dependencies: InstanceDependencies;
  readonly signal: AbortSignal;
}

/** The context of the steps that require a connected host. */
export interface HostStepContext extends StepContext {
  readonly host: Host;
}
