import { Box, Button, Grid, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { quarantinedReason } from '../../../../src/api/quarantined-reason.ts';
import { EditDetails } from '../../../components/form/edit-details.tsx';
import { Conditions } from '../../../components/object/conditions.tsx';
import { ProtectionSwitch } from '../../../components/object/deletion-protection.tsx';
import { EventList } from '../../../components/object/event-list.tsx';
import { LiftQuarantine } from '../../../components/object/lift-quarantine.tsx';
import { Panel } from '../../../components/panel.tsx';
import { eventsAbout } from '../../../data/objects/events-about.ts';
import { useRows } from '../../../data/rows/use-rows.ts';
import { AutoSleepDialog } from './auto-sleep-dialog.tsx';
import { InstanceDetails } from './instance-details.tsx';
import { conditionLabels, type InstanceState, sleepReasons } from './instance-state.ts';
import classes from './overview-tab.module.css';
import { UsagePanel } from './usage-panel.tsx';
import type { InstanceSectionProps } from './use-instance-permissions.ts';

/** A tab with the conditions, events, details and resource counts of an instance. */
export function OverviewTab({ instance, permissions }: InstanceSectionProps) {
  const [editing, setEditing] = useState<'details' | 'autoSleep'>();
  const close = () => setEditing(undefined);
  const events = useRows(eventsAbout(instance.object));
  return (
    <>
      <PhaseNotice instance={instance} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Panel title="Conditions">
            <Conditions
              conditions={instance.conditions}
              labels={conditionLabels}
              sleepReasons={sleepReasons}
              shownMessage={noticeMessage(instance)}
              label="Conditions"
            />
          </Panel>
          <Panel title="Events">
            <EventList rows={events} label="Events" />
          </Panel>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Panel
            title="Details"
            actions={
              permissions.canChange ? (
                <Group gap={4}>
                  <Button size="xs" variant="subtle" onClick={() => setEditing('autoSleep')}>
                    Set auto-sleep
                  </Button>
                  <Button size="xs" variant="subtle" onClick={() => setEditing('details')}>
                    Edit details
                  </Button>
                </Group>
              ) : null
            }
          >
            <InstanceDetails instance={instance} />
            <Box mt="md">
              <ProtectionSwitch kind={instance.type.kind} object={instance.object} mayChange={permissions.canChange} />
            </Box>
          </Panel>
          {instance.type.hasExplorer ? <UsagePanel instance={instance} permissions={permissions} /> : null}
        </Grid.Col>
      </Grid>
      {editing === 'autoSleep' ? <AutoSleepDialog instance={instance} onClose={close} /> : null}
      {editing === 'details' ? (
        <EditDetails
          kind={instance.type.kind}
          object={instance.object}
          aboutOwner={`The owner may use, change, share and delete the ${instance.type.noun}.`}
          onClose={close}
        />
      ) : null}
    </>
  );
}

/** Returns the server's message that `PhaseNotice` shows or explains; '' if there is no message. */
function noticeMessage({ phase, status: { message = '' }, sleepRefusal }: InstanceState): string {
  if (phase === 'Ready') return sleepRefusal;
  return ['Failed', quarantinedReason, 'Pending', 'Sleeping'].includes(phase) ? message : '';
}

/** A notice that explains why the instance cannot be used, and what to do. It is empty if the phase is Ready and no sleep was refused. */
function PhaseNotice({ instance }: { readonly instance: InstanceState }) {
  const { type, phase, status, object, sleepRefusal } = instance;
  const it = `This ${type.noun}`;
  const message = status.message ?? '';
  const notices: Record<string, { title: string; text: string }> = {
    Failed: { title: `${it} has failed`, text: message },
    [quarantinedReason]: { title: `${it} is quarantined`, text: message },
    Pending: { title: `${it} is starting`, text: message },
    '': { title: `${it} is starting`, text: 'It was just created.' },
    Sleeping: { title: `${it} is asleep`, text: sleepText(instance) },
    Terminating: {
      title: `${it} is being deleted`,
      text: deletionText(message, object.metadata.finalizers),
    },
  };
  const refusal = sleepRefusal === '' ? undefined : { title: `${it} was not put to sleep`, text: sleepRefusal };
  const notice = notices[phase] ?? refusal;
  return (
    <div role="status">
      {notice === undefined ? null : (
        <div className={`card ${classes.notice}`} data-phase={phase}>
          <Text fw={600}>{notice.title}</Text>
          <Text size="sm">{notice.text}</Text>
          {phase === quarantinedReason ? (
            <Box mt="sm">
              <LiftQuarantine instance={object} />
            </Box>
          ) : null}
        </div>
      )}
    </div>
  );
}

function sleepText({ sleep, hasLostData }: InstanceState): string {
  const data = hasLostData
    ? 'Everything in it is lost, because it has no persistent volume.'
    : 'Its objects and persistent volumes are kept.';
  if (sleep === 'order') return `A user put it to sleep. ${data} It stays asleep until a user wakes it here.`;
  if (sleep === 'use') return `Auto-sleep put it to sleep. ${data} The next request or the Wake button wakes it.`;
  return 'It was put to sleep on its cluster and must be woken there.';
}

function deletionText(message: string, finalizers: readonly string[] = []): string {
  const held = finalizers.length === 0 ? '' : ` Waiting for finalizers: ${finalizers.join(', ')}.`;
  return `This page updates when the deletion is complete.${held}${message === '' ? '' : ` Last message: ${message}`}`;
}
