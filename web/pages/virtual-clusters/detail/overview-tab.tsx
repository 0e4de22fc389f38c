import { Button, Grid, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Conditions } from '../../../components/conditions.tsx';
import { EditDetails } from '../../../components/edit-details.tsx';
import { EventList } from '../../../components/event-list.tsx';
import { Panel } from '../../../components/panel.tsx';
import { eventsAbout } from '../../../data/events-about.ts';
import { kinds } from '../../../data/kind-ref.ts';
import { useRows } from '../../../data/use-rows.ts';
import { AboutIt } from './about-it.tsx';
import { conditionWords, type InstanceFacts, sleepReasons } from './instance-facts.ts';
import classes from './overview-tab.module.css';
import { RestDialog } from './rest-dialog.tsx';
import { UsagePanel } from './usage-panel.tsx';
import type { InstancePartProps } from './use-instance-rights.ts';

/** How a virtual cluster stands, what happened to it, and what is known of it. */
export function OverviewTab({ facts, rights }: InstancePartProps) {
  const [editing, setEditing] = useState<'details' | 'rest'>();
  const close = () => setEditing(undefined);
  const events = useRows(eventsAbout(facts.object));
  return (
    <>
      <PhaseNotice facts={facts} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Panel title="How it stands">
            <Conditions
              conditions={facts.conditions}
              words={conditionWords}
              restful={sleepReasons}
              label="Conditions"
            />
          </Panel>
          <Panel title="What happened">
            <EventList rows={events} label="Events" />
          </Panel>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Panel
            title="About it"
            actions={
              rights.canChange ? (
                <Group gap={4}>
                  <Button size="xs" variant="subtle" onClick={() => setEditing('rest')}>
                    When unused
                  </Button>
                  <Button size="xs" variant="subtle" onClick={() => setEditing('details')}>
                    Edit
                  </Button>
                </Group>
              ) : null
            }
          >
            <AboutIt facts={facts} />
          </Panel>
          <UsagePanel facts={facts} rights={rights} />
        </Grid.Col>
      </Grid>
      {editing === 'rest' ? <RestDialog facts={facts} onClose={close} /> : null}
      {editing === 'details' ? (
        <EditDetails
          kind={kinds.instance}
          object={facts.object}
          aboutOwner="Who may use, change, share and delete it."
          onClose={close}
        />
      ) : null}
    </>
  );
}

/** Why it cannot be used now, and what to do about that; nothing where it can. */
function PhaseNotice({ facts: { phase, status, sleep, object } }: { readonly facts: InstanceFacts }) {
  const message = status.message ?? '';
  const notices: Record<string, { title: string; text: string }> = {
    Failed: { title: `It has failed${status.reason ? `: ${status.reason}` : ''}`, text: message },
    Pending: { title: 'It is on its way', text: message },
    '': { title: 'It is on its way', text: 'It was made a moment ago.' },
    Sleeping: { title: 'It is asleep', text: sleepText(sleep) },
    Terminating: { title: 'It is being deleted', text: leavingText(message, object.metadata.finalizers) },
  };
  const notice = notices[phase];
  return (
    <div role="status">
      {notice === undefined ? null : (
        <div className={`card ${classes.notice}`} data-phase={phase}>
          <Text fw={600}>{notice.title}</Text>
          <Text size="sm">{notice.text}</Text>
        </div>
      )}
    </div>
  );
}

function sleepText(sleep: InstanceFacts['sleep']): string {
  if (sleep === 'order')
    return 'Somebody put it to sleep. Nothing in it is lost; it stays asleep until it is woken here.';
  if (sleep === 'use')
    return 'Nobody used it for a while. Nothing in it is lost; the next request wakes it, or you do.';
  return 'It was put to sleep on its cluster, and is to be woken there.';
}

function leavingText(message: string, finalizers: readonly string[] = []): string {
  const held = finalizers.length === 0 ? '' : ` It is held by ${finalizers.join(', ')}.`;
  return `This page says so when nothing of it is left.${held}${message === '' ? '' : ` Last word: ${message}`}`;
}
