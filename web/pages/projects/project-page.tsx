import { Alert, Anchor, Button, Group } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { projectNamespace } from '../../../src/api/naming.ts';
import { textAt } from '../../../src/lib/json-path.ts';
import { DetailTabs } from '../../components/detail-tabs.tsx';
import { EditDetails } from '../../components/edit-details.tsx';
import { Icon } from '../../components/icon.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { LivePart } from '../../components/live-part.tsx';
import { ObjectEditor } from '../../components/object-editor.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { displayNameOf } from '../../data/display-name.ts';
import { kinds } from '../../data/kind-ref.ts';
import { useMayEach } from '../../data/permissions.ts';
import { useObject } from '../../data/use-object.ts';
import { AllowedTab } from './allowed-tab.tsx';
import { DeleteProject } from './delete-project.tsx';
import { MembersTab } from './members-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { QuotasTab } from './quotas-tab.tsx';

const back = (
  <Anchor component={Link} to="/projects" size="sm">
    Projects
  </Anchor>
);

/** One project. */
export function ProjectPage() {
  const { project: name } = useParams({ from: '/projects/$project' });
  const live = useObject(kinds.project, { name });
  return (
    <LivePart live={live} what="project" name={name} back={back}>
      {(project) => <Project key={project.metadata.uid} project={project} />}
    </LivePart>
  );
}

function Project({ project }: { readonly project: KubeObject }) {
  const { name = '', deletionTimestamp } = project.metadata;
  const [open, setOpen] = useState<'details' | 'deletion'>();
  const close = () => setOpen(undefined);
  const [make, write, remove] = useMayEach([
    { verb: 'create', kind: kinds.instance, namespace: projectNamespace(name) },
    { verb: 'patch', kind: kinds.project, name },
    { verb: 'delete', kind: kinds.project, name },
  ]);
  const isGoing = deletionTimestamp !== undefined;
  return (
    <>
      <PageHeader
        title={displayNameOf(project)}
        above={back}
        about={textAt(project, 'spec', 'displayName') === '' ? undefined : <span className="mono">{name}</span>}
        actions={
          <Group gap="sm">
            {make?.allowed === true && !isGoing ? (
              <LinkButton to="/virtual-clusters/new" search={{ project: name }} leftSection={<Icon name="plus" />}>
                New virtual cluster
              </LinkButton>
            ) : null}
            {write?.allowed === true ? (
              <Button variant="default" leftSection={<Icon name="edit" size={16} />} onClick={() => setOpen('details')}>
                Edit
              </Button>
            ) : null}
            {remove?.allowed === true && !isGoing ? (
              <Button
                variant="default"
                leftSection={<Icon name="trash" size={16} />}
                onClick={() => setOpen('deletion')}
              >
                Delete
              </Button>
            ) : null}
          </Group>
        }
      />
      {isGoing ? (
        <Alert color="orange" mb="md" role="status" title="This project is being deleted">
          Its virtual clusters go first. Nothing new can be made in it.
        </Alert>
      ) : null}
      <DetailTabs
        label="Parts of the project"
        tabs={[
          { id: 'overview', label: 'Overview', render: () => <OverviewTab project={project} /> },
          { id: 'members', label: 'Members', render: () => <MembersTab project={project} /> },
          { id: 'allowed', label: 'Clusters and templates', render: () => <AllowedTab project={project} /> },
          { id: 'quotas', label: 'Quotas', render: () => <QuotasTab project={project} /> },
          {
            id: 'yaml',
            label: 'YAML',
            render: () => <ObjectEditor kind={kinds.project} object={project} readOnly={write?.allowed !== true} />,
          },
        ]}
      />
      {open === 'details' ? (
        <EditDetails
          kind={kinds.project}
          object={project}
          aboutOwner="May change what the project is called, and its members."
          onClose={close}
        />
      ) : null}
      {open === 'deletion' ? <DeleteProject project={project} onClose={close} /> : null}
    </>
  );
}
