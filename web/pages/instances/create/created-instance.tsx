import { Alert, Group, Stack, Text } from '@mantine/core';
import { projectNamespace } from '../../../../src/api/naming.ts';
import { Command } from '../../../components/command.tsx';
import { Icon } from '../../../components/icon.tsx';
import { LinkButton } from '../../../components/link-button.tsx';
import { EventList } from '../../../components/object/event-list.tsx';
import { LiveObjectView } from '../../../components/object/live-object-view.tsx';
import { StatusBadge } from '../../../components/object/status-badge.tsx';
import { PageHeader } from '../../../components/page-header.tsx';
import { Panel } from '../../../components/panel.tsx';
import type { InstanceType } from '../../../data/instance-types.ts';
import { eventsAbout } from '../../../data/objects/events-about.ts';
import { useObject } from '../../../data/objects/use-object.ts';
import { useRows } from '../../../data/rows/use-rows.ts';
import { BackToList } from '../back-to-list.tsx';
import { type InstanceState, instanceState } from '../detail/instance-state.ts';
import classes from './create.module.css';
import { StepsToReady } from './steps-to-ready.tsx';

interface CreatedInstanceProps {
  readonly type: InstanceType;
  readonly project: string;
  readonly name: string;
}

/** Shows the live progress of a new instance until it is ready. */
export function CreatedInstance({ type, project, name }: CreatedInstanceProps) {
  const live = useObject(type.kind, { namespace: projectNamespace(project), name });
  return (
    <LiveObjectView live={live} what={type.noun} name={name} back={<BackToList type={type} />}>
      {(object) => <Progress instance={instanceState(type, object)} />}
    </LiveObjectView>
  );
}

function Progress({ instance }: { readonly instance: InstanceState }) {
  const { type, object, name, project, phase, status } = instance;
  const events = useRows(eventsAbout(object));
  const isReady = phase === 'Ready';
  const to = { to: type.detailPath, params: { project, name } } as const;
  return (
    <>
      <PageHeader
        title={name}
        about={`In project ${project}`}
        above={<BackToList type={type} />}
        actions={
          <LinkButton {...to} variant="default">
            View details
          </LinkButton>
        }
      />
      <div className={classes.layout}>
        <div>
          <Panel title="Steps to Ready" actions={<StatusBadge status={phase} />}>
            <StepsToReady instance={instance} />
            {phase === 'Failed' ? (
              <Alert color="red" mt="md" title="Creation failed">
                {status.message === undefined || status.message === ''
                  ? 'The server reported no reason.'
                  : status.message}
              </Alert>
            ) : null}
          </Panel>
          <Panel title={isReady ? 'Connect' : 'Next steps'}>
            <Stack gap="sm">
              <Text size="sm" role="status">
                {isReady
                  ? `Your ${type.noun} is ready. ${type.hasExplorer ? 'Run kubectl in the browser with Terminal, get a kubeconfig with Connect' : 'Get a kubeconfig with Connect'}, or use the command line:`
                  : `You can connect as soon as the ${type.noun} is ready. You may leave this page; the creation continues.`}
              </Text>
              <Command text={`${type.program} connect ${name} --project ${project}`} />
              {isReady ? (
                <Group gap="sm">
                  <LinkButton {...to} search={{ tab: 'connect' }} leftSection={<Icon name="external" />}>
                    Connect
                  </LinkButton>
                  {type.hasExplorer ? (
                    <>
                      <LinkButton
                        to="/virtual-clusters/$project/$name/terminal"
                        params={{ project, name }}
                        variant="default"
                        leftSection={<Icon name="terminal" />}
                      >
                        Terminal
                      </LinkButton>
                      <LinkButton
                        to="/virtual-clusters/$project/$name/inside"
                        params={{ project, name }}
                        variant="default"
                        leftSection={<Icon name="search" />}
                      >
                        Open explorer
                      </LinkButton>
                    </>
                  ) : null}
                </Group>
              ) : null}
            </Stack>
          </Panel>
        </div>
        <Panel title="Events">
          <EventList rows={events} label={`Events of ${name}`} />
        </Panel>
      </div>
    </>
  );
}
