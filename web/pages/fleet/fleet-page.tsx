import { Button, SimpleGrid } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Command } from '../../components/command.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { useNow } from '../../components/object/age.tsx';
import { PhaseTiles } from '../../components/object/phase-tiles.tsx';
import { TimeToReady } from '../../components/object/time-to-ready.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { usePermission } from '../../data/permissions.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { useSeesAll } from '../../data/rows/use-sees-all.ts';
import { useSelf } from '../../data/session/use-self.ts';
import { useCreatableProjects } from '../../data/use-creatable-projects.ts';
import { AttentionPanel } from './attention-panel.tsx';
import { attentionState } from './attention-state.ts';
import { FirstRunPanel } from './first-run-panel.tsx';
import { HostsPanel } from './hosts-panel.tsx';
import { findIssues } from './issues.ts';
import { ProjectsPanel } from './projects-panel.tsx';
import { QuotasPanel } from './quotas-panel.tsx';

/**
 * The start page: the number of virtual clusters by phase, cluster and project, the time until they became Ready,
 * quotas, and issues that need attention.
 */
export function FleetPage() {
  const { self, isAdmin } = useSelf();
  const instances = useRows({ kind: kinds.instance });
  const clusters = useRows({ kind: kinds.cluster, objects: true });
  const projects = useRows({ kind: kinds.project, objects: true });
  const keys = useRows({ kind: kinds.ownedKey, objects: true });
  const mayCreate = useCreatableProjects(kinds.instance).projects.length > 0;
  const seesAll = useSeesAll(kinds.instance);
  const now = useNow();
  const mayChangeClusters = usePermission({ verb: 'patch', kind: kinds.cluster }).allowed;
  const issues = useMemo(
    () => findIssues({ instances, clusters, keys }, { now, mayChangeClusters }),
    [instances, clusters, keys, now, mayChangeClusters],
  );
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
            ? 'All virtual clusters that you can see, and what needs your attention.'
            : `Welcome, ${name}. Here are all virtual clusters that you can see, and what needs your attention.`
        }
        actions={create}
      />
      {isAdmin ? <FirstRunPanel clusters={clusters} projects={projects} instances={instances} /> : null}
      {instances.state === 'refused' ? <ErrorNotice error={instances.error} onRetry={instances.retry} /> : null}
      {instances.state === 'loading' && instances.rows.length === 0 ? (
        <LoadingIndicator message="Loading virtual clusters" />
      ) : null}
      {isEmpty ? (
        <Panel>
          <EmptyState
            title={seesAll ? 'No virtual clusters yet' : 'No virtual clusters that you can see'}
            text={
              mayCreate ? (
                <FirstSteps />
              ) : (
                'No virtual cluster has been shared with you yet. Ask a project admin for access.'
              )
            }
            action={create}
          />
        </Panel>
      ) : null}
      {/* Zeros would say that there are no virtual clusters, which is unknown while the list is refused or loading. */}
      {instances.rows.length === 0 ? null : <PhaseTiles instances={instances} seesAll={seesAll} />}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" mt="md">
        <div>
          <AttentionPanel issues={issues} dataState={attentionState([instances, clusters, keys], { seesAll })} />
          <Panel title="Time to Ready">
            <TimeToReady days={readyDays} />
          </Panel>
        </div>
        <div>
          <HostsPanel clusters={clusters} instances={instances} seesAll={seesAll} />
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
