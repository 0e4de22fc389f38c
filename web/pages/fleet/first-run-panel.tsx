import { Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Cluster } from '../../../src/api/management/v1/cluster.ts';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { loadedCount } from '../../data/rows/fleet-counts.ts';
import type { RowsSnapshot } from '../../data/rows/live-rows.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { type FirstRunStep, firstRunSteps } from './first-run.ts';
import classes from './first-run-panel.module.css';

const hiddenKey = 'flotilla-first-run-hidden';

export interface FirstRunPanelProps {
  readonly clusters: RowsSnapshot<Cluster>;
  readonly projects: RowsSnapshot;
  readonly instances: RowsSnapshot;
}

const stepTexts: Readonly<Record<FirstRunStep['id'], { readonly about: string; readonly link: ReactNode }>> = {
  cluster: {
    link: <Link to="/hosts">Connect a cluster</Link>,
    about: 'Or use the built-in one, which runs control planes without containers.',
  },
  project: {
    link: <Link to="/projects">Create a project</Link>,
    about: 'A project has members, quotas, and the clusters and templates that they may use.',
  },
  template: {
    link: <Link to="/templates">Create a template</Link>,
    about: 'A template defines what a new virtual cluster contains.',
  },
  instance: {
    link: <Link to="/virtual-clusters/new">Create a virtual cluster</Link>,
    about: 'It is ready in moments.',
  },
  invite: {
    link: <Link to="/users">Invite people</Link>,
    about: 'Create a user, send the sign-in link, and add the user to a project.',
  },
};

/**
 * A checklist for administrators of a new installation. Renders nothing if all steps are done or the user has hidden
 * the checklist.
 */
export function FirstRunPanel({ clusters, projects, instances }: FirstRunPanelProps) {
  const users = useRows({ kind: kinds.user });
  const templates = useRows({ kind: kinds.template });
  const [isHidden, setHidden] = useState(() => localStorage.getItem(hiddenKey) !== null);
  const areClustersKnown = loadedCount(clusters) !== undefined;
  const steps = firstRunSteps({
    onlineClusters: areClustersKnown
      ? clusters.rows.filter(({ object }) => object.status?.online === true).length
      : undefined,
    projects: loadedCount(projects),
    templates: loadedCount(templates),
    users: loadedCount(users),
    instances: loadedCount(instances),
  });
  if (steps === undefined || isHidden) return null;
  const hide = () => {
    localStorage.setItem(hiddenKey, '');
    setHidden(true);
  };
  return (
    <Panel
      title="Set up this installation"
      actions={
        <Button size="compact-sm" variant="subtle" onClick={hide}>
          Hide
        </Button>
      }
    >
      <ol className={classes.steps}>
        {steps.map(({ id, isDone }) => (
          <li key={id} data-done={isDone}>
            <Group gap="sm" wrap="nowrap" align="flex-start">
              <Icon name={isDone ? 'check' : 'right'} size={16} />
              <div>
                {stepTexts[id].link}
                {isDone ? ' (done)' : ''}
                <Text size="sm" c="dimmed">
                  {stepTexts[id].about}
                </Text>
              </div>
            </Group>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
