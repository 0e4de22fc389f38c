import type { TemplateDefinition } from '../../../api/management/v1/template-definition.ts';
import { StatusError } from '../../../api/status.ts';
import { ApplyError } from '../../../hosts/apply-objects.ts';
import type { HostedVirtualCluster } from '../../../hosts/host.ts';
import { InstallError } from '../../../hosts/install-error.ts';
import type { InstanceDependencies } from '../instance-dependencies.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';
import type { SleepMode } from '../sleep-mode.ts';
import type { StatusDraft, StatusReason } from '../status-draft.ts';
import { applyContentsStep, contentsOf, restoreBindingsStep } from './step-apply-contents.ts';
import type { HostStepContext, StepContext } from './step-context.ts';
import { installStep } from './step-install.ts';
import { sleepStatusReason, sleepStep } from './step-sleep.ts';

/**
 * Brings the virtual cluster of an instance closer to its desired state, and writes its current state into the draft.
 * If the step throws, the draft contains the reason, and the caller retries with backoff.
 */
export async function runVirtualClusterStep(
  context: StepContext,
  definition: TemplateDefinition | undefined,
  sleepMode: SleepMode,
): Promise<void> {
  const { snapshot, draft, dependencies, signal } = context;
  const host = dependencies.hostOf(snapshot.cluster);
  if (host === undefined) {
    const message = `Cluster "${snapshot.cluster}" is not connected to this server. Connect the cluster again.`;
    reportUnreachable(snapshot, { reason: 'NoWayToCluster', message }, draft, dependencies);
    return;
  }
  try {
    const onHost: HostStepContext = { ...context, host };
    const installed = await installStep(onHost, definition);
    const observed = installed && (await sleepStep(onHost, installed, sleepMode));
    if (observed !== undefined) await applyObservedState(onHost, definition ?? {}, observed, sleepMode);
  } catch (error) {
    if (error instanceof ApplyError) reportNotApplied(snapshot, error, draft, dependencies);
    if (error instanceof InstallError) {
      reportNotInstalled(snapshot, error, draft, dependencies);
      throw error;
    }
    if (signal.aborted || !(error instanceof StatusError) || error.code === 409) throw error;
    const message = `Request to cluster "${snapshot.cluster}" failed: ${error.message}. Retrying automatically.`;
    reportUnreachable(snapshot, { reason: 'HostFailed', message }, draft, dependencies);
    throw error;
  }
}

/** Reports an installation that failed although the host responds: its definition or the installer is the cause. */
function reportNotInstalled(
  { object, cluster, observedUid }: InstanceSnapshot,
  { fault, message: detail }: InstallError,
  draft: StatusDraft,
  dependencies: InstanceDependencies,
): void {
  const operation = observedUid === '' ? 'Installation' : 'Update of the running virtual cluster';
  const message = `${operation} on cluster "${cluster}" failed. Retrying automatically. ${detail}`;
  draft.setCondition('VirtualClusterDeployed', 'False', { reason: fault, message });
  draft.setPhase('Failed', { reason: fault, message });
  if (object.status?.message !== message) dependencies.events.record(object, 'Warning', fault, message);
}

function reportUnreachable(
  { object, observedUid }: InstanceSnapshot,
  why: StatusReason,
  draft: StatusDraft,
  dependencies: InstanceDependencies,
): void {
  if (observedUid === '') draft.setCondition('VirtualClusterDeployed', 'False', why);
  draft.setCondition('VirtualClusterReady', 'Unknown', why);
  draft.setPhase(observedUid === '' ? 'Pending' : 'Failed', why);
  if (object.status?.message !== why.message) {
    dependencies.events.record(object, 'Warning', why.reason, why.message);
  }
}

function reportNotApplied(
  { object }: InstanceSnapshot,
  error: ApplyError,
  draft: StatusDraft,
  dependencies: InstanceDependencies,
): void {
  const message = `The objects of the template cannot be applied: ${error.message}. Correct the template. Retrying automatically.`;
  draft.setPhase('Failed', { reason: 'ObjectsNotApplied', message });
  if (object.status?.message !== message) {
    dependencies.events.record(object, 'Warning', 'ObjectsNotApplied', message);
  }
}

async function applyObservedState(
  context: HostStepContext,
  definition: TemplateDefinition,
  observed: HostedVirtualCluster,
  sleepMode: SleepMode,
): Promise<void> {
  const { snapshot, draft, dependencies } = context;
  const { object } = snapshot;
  if (observed.kubernetesVersion !== '') draft.set('kubernetesVersion', observed.kubernetesVersion);
  const notReady = (phase: 'Pending' | 'Sleeping' | 'Failed', why: StatusReason) => {
    draft.setCondition('VirtualClusterReady', 'False', why);
    draft.setPhase(phase, why);
  };
  const observedMessage = (detail: string): string => observed.message || detail;
  switch (observed.phase) {
    case 'Sleeping':
      notReady('Sleeping', sleepStatusReason(sleepMode.sleepReason));
      return;
    case 'Removing':
      notReady('Pending', {
        reason: 'Removed',
        message: 'The virtual cluster is being removed and will be reinstalled.',
      });
      return;
    case 'Failed': {
      const reason = observed.reason || 'Failed';
      const message = observedMessage('The virtual cluster is not running.');
      notReady('Failed', { reason, message });
      if (object.status?.reason !== reason) dependencies.events.record(object, 'Warning', reason, message);
      return;
    }
    case 'Pending':
      notReady('Pending', {
        reason: observed.reason || 'Starting',
        message: observedMessage('The virtual cluster is starting.'),
      });
      return;
    case 'Ready':
  }
  const content = contentsOf(snapshot, definition, observed);
  const isApplied = object.status?.deployHash === content.digest;
  if (!isApplied) {
    try {
      await applyContentsStep(context, content);
    } catch (error) {
      if (error instanceof ApplyError) draft.setCondition('VirtualClusterReady', 'True', apiResponds);
      throw error;
    }
    draft.set('deployHash', content.digest);
    dependencies.bindings.markChecked(snapshot.uid);
  } else if (dependencies.bindings.isDue(snapshot.uid)) {
    await restoreBindingsStep(context, content);
    dependencies.bindings.markChecked(snapshot.uid);
  }
  draft.setCondition('VirtualClusterReady', 'True', apiResponds);
  draft.setPhase('Ready', { reason: 'Ready', message: 'The virtual cluster is ready.' });
  if (object.status?.phase !== 'Ready') {
    dependencies.events.record(object, 'Normal', 'Ready', 'The virtual cluster is ready.');
  }
}

const apiResponds: StatusReason = { reason: 'Answers', message: 'The API of the virtual cluster responds.' };
