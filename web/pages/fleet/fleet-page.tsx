import { Button, SimpleGrid } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useNow } from '../../components/age.tsx';
import { Command } from '../../components/command.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { PhaseTiles } from '../../components/phase-tiles.tsx';
import { TimeToReady } from '../../components/time-to-ready.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { useOpenProjects } from '../../data/use-open-projects.ts';
import { useRows } from '../../data/use-rows.ts';
import { useSelf } from '../../data/use-self.ts';
import { mattersOf } from './attention.ts';
import { Attention } from './attention-panel.tsx';
import { HostsPanel } from './hosts-panel.tsx';
import { ProjectsPanel } from './projects-panel.tsx';
import { QuotasPanel } from './quotas-panel.tsx';

/** The overview of the fleet: counts, locations, time to Ready, and issues. */
export function FleetPage() {
  const { self } = useSelf();
  const instances = useRows({ kind: kinds.instance });
  const clusters = useRows({ kind: kinds.cluster, objects: true });
  const projects = useRows({ kind: kinds.project, objects: true });
  const keys = useRows({ kind: kinds.ownedKey, objects: true });
  const mayCreate = useOpenProjects().projects.length > 0;
  const now = useNow();
  const matters = useMemo(() => mattersOf({ instances, clusters, keys }, now), [instances, clusters, keys, now]);
  const readyDays = useMemo(() => projects.rows.map(({ object }) => object.status?.timeToReady ?? []), [projects.rows]);
  const create = mayCreate ? (
    <Button component={Link} to="/virtual-clusters/new" leftSection={<Icon name="plus" />}>
      New virtual cluster
    </Button>
  ) : undefined;
  const isEmpty = instances.state === 'live' && instances.rows.length === 0;
  const name = self?.user?.displayName || self?.user?.name || '';

  return (
    <>
      <PageHeader
        title="Fleet"
        about={
          name === ''
            ? 'A live overview of everything you can access.'
            : `Welcome, ${name}. This is a live overview of everything you can access.`
        }
        actions={create}
      />
      {instances.state === 'refused' ? <ErrorNotice error={instances.error} onRetry={instances.retry} /> : null}
      {instances.state === 'loading' && instances.rows.length === 0 ? (
        <Waiting message="Loading virtual clusters" />
      ) : null}
      {isEmpty ? (
        <Panel>
          <EmptyState
            title="No virtual clusters yet"
            text={
              mayCreate ? (
                <FirstSteps />
              ) : (
                'No virtual cluster has been shared with you yet. Ask a project administrator for access.'
              )
            }
            action={create}
          />
        </Panel>
      ) : (
        <PhaseTiles instances={instances} />
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" mt="md">
        <div>
          <Attention
            matters={matters}
            isKnown={[instances, clusters, keys].every(({ state }) => state === 'live' || state === 'refused')}
          />
          <Panel title="Time to Ready">
            <TimeToReady days={readyDays} />
          </Panel>
        </div>
        <div>
          <HostsPanel clusters={clusters} instances={instances} />
          <QuotasPanel projects={projects} />
          <ProjectsPanel instances={instances} />
        </div>
      </SimpleGrid>
    </>
  );
}

function FirstSteps() {
  return (
    <>
      A virtual cluster is a Kubernetes API of your own, ready in moments. Create the first one here or on the command
      line:
      <Command text="flotilla create demo --connect" />
    </>
  );
}
