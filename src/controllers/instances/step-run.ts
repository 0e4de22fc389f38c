import type { TemplateDefinition } from '../../api/management/v1/template-definition.ts';
import { StatusError } from '../../api/status.ts';
import { ApplyError } from '../../hosts/apply-objects.ts';
import type { Host, HostedVirtualCluster } from '../../hosts/host.ts';
import { InstallError } from '../../hosts/install-error.ts';
import { textAt } from '../../lib/json-path.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';
import type { SleepMode } from './sleep-mode.ts';
import type { StatusDraft, Why } from './status-draft.ts';
import { bindingsStep, contentOf, insideStep } from './step-inside.ts';
import { installStep } from './step-install.ts';
import { sleepStep, sleepWords } from './step-sleep.ts';

/**
 * Brings the virtual cluster of an instance a step nearer to what is wanted, and writes into the draft how it stands.
 * What it throws is to be tried again, later and later; the draft tells of it.
 */
export async function runStep(
  facts: InstanceFacts,
  definition: TemplateDefinition | undefined,
  sleepMode: SleepMode,
  draft: StatusDraft,
  needs: InstanceNeeds,
  signal: AbortSignal,
): Promise<void> {
  const host = needs.hostOf(facts.cluster);
  if (host === undefined) {
    const message = `This server has no way to the cluster ${facts.cluster}. Connect the cluster again.`;
    unreachable(facts, { reason: 'NoWayToCluster', message }, draft, needs);
    return;
  }
  try {
    const installed = await installStep(host, facts, definition, draft, needs, signal);
    const observed = installed && (await sleepStep(host, facts, installed, sleepMode, needs, signal));
    if (observed !== undefined) await judge(host, facts, definition ?? {}, observed, sleepMode, draft, needs, signal);
  } catch (error) {
    if (error instanceof ApplyError) notApplied(facts, error, draft, needs);
    if (error instanceof InstallError) {
      notInstalled(facts, error, draft, needs);
      throw error;
    }
    if (signal.aborted || !(error instanceof StatusError) || error.code === 409) throw error;
    const message = `The cluster ${facts.cluster} says: ${error.message}. The server tries again by itself.`;
    unreachable(facts, { reason: 'HostFailed', message }, draft, needs);
    throw error;
  }
}

/** The host answers, but what is to be installed there, or the program that installs it, is not in order. */
function notInstalled(
  { object, cluster, serviceUid }: InstanceFacts,
  { fault, message: words }: InstallError,
  draft: StatusDraft,
  needs: InstanceNeeds,
): void {
  const what = serviceUid === '' ? 'installed' : 'changed to what is wanted now; what runs goes on as it was';
  const message = `On the cluster ${cluster} it could not be ${what}. The server tries again by itself. ${words}`;
  draft.condition('VirtualClusterDeployed', 'False', { reason: fault, message });
  draft.conclude('Failed', { reason: fault, message });
  if (textAt(object, 'status', 'message') !== message) needs.events.record(object, 'Warning', fault, message);
}

function unreachable({ object, serviceUid }: InstanceFacts, why: Why, draft: StatusDraft, needs: InstanceNeeds): void {
  if (serviceUid === '') draft.condition('VirtualClusterDeployed', 'False', why);
  draft.condition('VirtualClusterReady', 'Unknown', why);
  draft.conclude(serviceUid === '' ? 'Pending' : 'Failed', why);
  if (textAt(object, 'status', 'message') !== why.message) {
    needs.events.record(object, 'Warning', why.reason, why.message);
  }
}

function notApplied({ object }: InstanceFacts, error: ApplyError, draft: StatusDraft, needs: InstanceNeeds): void {
  const message = `The objects of the template cannot be applied: ${error.message}. Correct the template; the server tries again by itself.`;
  draft.conclude('Failed', { reason: 'ObjectsNotApplied', message });
  if (textAt(object, 'status', 'message') !== message) {
    needs.events.record(object, 'Warning', 'ObjectsNotApplied', message);
  }
}

async function judge(
  host: Host,
  facts: InstanceFacts,
  definition: TemplateDefinition,
  observed: HostedVirtualCluster,
  sleepMode: SleepMode,
  draft: StatusDraft,
  needs: InstanceNeeds,
  signal: AbortSignal,
): Promise<void> {
  const { object } = facts;
  if (observed.kubernetesVersion !== '') draft.set('kubernetesVersion', observed.kubernetesVersion);
  const notReady = (phase: 'Pending' | 'Sleeping' | 'Failed', why: Why) => {
    draft.condition('VirtualClusterReady', 'False', why);
    draft.conclude(phase, why);
  };
  const said = (words: string): string => observed.message || words;
  switch (observed.phase) {
    case 'Sleeping':
      notReady('Sleeping', sleepWords(sleepMode.asleep));
      return;
    case 'Removing':
      notReady('Pending', { reason: 'Removed', message: 'It is being removed on its cluster, and is made anew then.' });
      return;
    case 'Failed':
      notReady('Failed', { reason: observed.reason || 'Failed', message: said('It does not run.') });
      return;
    case 'Pending':
      notReady('Pending', {
        reason: observed.reason || 'Starting',
        message: said('The virtual cluster is on its way; there is nothing to do.'),
      });
      return;
    case 'Ready':
  }
  const content = contentOf(facts, definition, observed);
  const isIn = textAt(object, 'status', 'deployHash') === content.digest;
  if (!isIn) {
    try {
      await insideStep(host, facts, content, needs, signal);
    } catch (error) {
      if (error instanceof ApplyError) draft.condition('VirtualClusterReady', 'True', answers);
      throw error;
    }
    draft.set('deployHash', content.digest);
    needs.bindings.looked(facts.uid);
  } else if (needs.bindings.isDue(facts.uid)) {
    await bindingsStep(host, facts, content, needs, signal);
    needs.bindings.looked(facts.uid);
  }
  draft.condition('VirtualClusterReady', 'True', answers);
  draft.conclude('Ready', { reason: 'Ready', message: 'The virtual cluster can be used.' });
  if (textAt(object, 'status', 'phase') !== 'Ready') {
    needs.events.record(object, 'Normal', 'Ready', 'The virtual cluster can be used.');
  }
}

const answers: Why = { reason: 'Answers', message: 'The API of the virtual cluster answers.' };
