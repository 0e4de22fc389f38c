import type { TemplateDefinition } from '../../../api/management/v1/template-definition.ts';
import { StatusError } from '../../../api/status.ts';
import { ApplyError } from '../../../hosts/apply-objects.ts';
import type { HostedVirtualCluster } from '../../../hosts/host.ts';
import { InstallError } from '../../../hosts/install-error.ts';
import type { HostStepContext, InstanceDependencies, StepContext } from '../instance-dependencies.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';
import type { SleepMode } from '../sleep-mode.ts';
import type { StatusDraft, StatusReason } from '../status-draft.ts';
import { isPendingProblem, recordProblem } from './record-problem.ts';
import { installStep, reportReplacedCluster } from './step-install.ts';
import { sleepStatusReason, sleepStep } from './step-sleep.ts';

/**
 * Brings the virtual cluster or space of an instance closer to its desired state, and writes its current state into the
 * draft. If the step throws, the draft contains the reason, and the caller retries with backoff.
 */
export async function runInstanceStep(
  context: StepContext,
  definition: TemplateDefinition | undefined,
  sleepMode: SleepMode,
): Promise<void> {
  const { snapshot, draft, dependencies, signal } = context;
  const driver = dependencies.driverOf(snapshot.cluster);
  if (driver === undefined) {
    if (await reportReplacedCluster(context)) return;
    const message = `Cluster "${snapshot.cluster}" is not connected to this server. Connect the cluster again.`;
    reportUnreachable(snapshot, { reason: 'NoWayToCluster', message }, draft, dependencies);
    return;
  }
  try {
    const onHost: HostStepContext = { ...context, driver };
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

/**
 * Reports an installation that failed although the host responds. In this case, the definition or the installer is the
 * cause of the failure.
 */
function reportNotInstalled(
  { object, cluster, observedUid, profile }: InstanceSnapshot,
  { fault, message: detail }: InstallError,
  draft: StatusDraft,
  dependencies: InstanceDependencies,
): void {
  const operation = observedUid === '' ? 'Installation' : `Update of the running ${profile.noun}`;
  const message = `${operation} on cluster "${cluster}" failed. Retrying automatically. ${detail}`;
  draft.setInstalled('False', { reason: fault, message });
  draft.setPhase('Failed', { reason: fault, message });
  if (object.status?.message !== message) dependencies.events.record(object, 'Warning', fault, message);
}

function reportUnreachable(
  { object, observedUid }: InstanceSnapshot,
  why: StatusReason,
  draft: StatusDraft,
  dependencies: InstanceDependencies,
): void {
  if (observedUid === '') draft.setInstalled('False', why);
  draft.setResponds('Unknown', why);
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
  const message = `Cannot apply the objects of the template: ${error.message}. After the template is corrected, the next automatic retry uses it.`;
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
  const { object, profile } = snapshot;
  const { noun } = profile;
  if (observed.kubernetesVersion !== '') draft.set('kubernetesVersion', observed.kubernetesVersion);
  const notReady = (phase: 'Pending' | 'Sleeping' | 'Failed', why: StatusReason) => {
    draft.setResponds('False', why);
    draft.setPhase(phase, why);
  };
  const observedMessage = (detail: string): string => observed.message || detail;
  switch (observed.phase) {
    case 'Sleeping':
      notReady('Sleeping', sleepStatusReason(sleepMode.sleepReason, noun, observed.dataLostAt));
      return;
    case 'Removing':
      notReady('Pending', {
        reason: 'Removed',
        message: `The ${noun} is being removed and will be reinstalled.`,
      });
      return;
    case 'Failed': {
      const reason = observed.reason || 'Failed';
      const message = observedMessage(`The ${noun} is not running.`);
      notReady('Failed', { reason, message });
      recordProblem(context, { reason, message });
      return;
    }
    case 'Pending': {
      const reason = observed.reason || 'Starting';
      const message = observedMessage(`The ${noun} is starting.`);
      notReady('Pending', { reason, message });
      if (isPendingProblem(reason)) recordProblem(context, { reason, message });
      return;
    }
    case 'Ready':
  }
  try {
    await dependencies.contents.ensure(context, definition, observed);
  } catch (error) {
    if (error instanceof ApplyError) draft.setResponds('True', apiResponds);
    throw error;
  }
  draft.setResponds('True', apiResponds);
  const message = `The ${noun} is ready.`;
  draft.setPhase('Ready', { reason: 'Ready', message });
  if (object.status?.phase !== 'Ready') dependencies.events.record(object, 'Normal', 'Ready', message);
}

const apiResponds: StatusReason = { reason: 'Answers', message: 'The API of the virtual cluster responds.' };
