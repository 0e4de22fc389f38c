import { Alert } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Project } from '../../../src/api/management/v1/project.ts';
import { projectNamespace } from '../../../src/api/naming.ts';
import { DeleteButton } from '../../components/delete-button.tsx';
import { EditDetails } from '../../components/form/edit-details.tsx';
import { Icon } from '../../components/icon.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { ActivityTab } from '../../components/object/activity-tab.tsx';
import { isProtected } from '../../components/object/deletion-protection.tsx';
import { DetailTabs } from '../../components/object/detail-tabs.tsx';
import { ObjectEditor } from '../../components/object/object-editor.tsx';
import { ObjectHeader } from '../../components/object/object-header.tsx';
import { ObjectPage } from '../../components/object/object-page.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { UsageTab } from '../../components/usage/usage-tab.tsx';
import { spaceType, virtualClusterType } from '../../data/instance-types.ts';
import { kinds } from '../../data/kind-ref.ts';
import { usePermissions } from '../../data/permissions.ts';
import { AllowedTab } from './allowed-tab.tsx';
import { DeleteProject } from './delete-project.tsx';
import { InstancesTab } from './instances-tab.tsx';
import { MembersTab } from './members-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { QuotasTab } from './quotas-tab.tsx';
import { WebhooksTab } from './webhooks/webhooks-tab.tsx';

const list = { to: '/projects', label: 'Projects' } as const;

/** The page of a project. */
export function ProjectPage() {
  const { project: name } = useParams({ from: '/projects/$project' });
  return (
    <ObjectPage kind={kinds.project} name={name} what="project" list={list}>
      {(project, back) => <ProjectParts key={project.metadata.uid} project={project} back={back} />}
    </ObjectPage>
  );
}

function ProjectParts({ project, back }: { readonly project: Project; readonly back: ReactNode }) {
  const { name = '', deletionTimestamp } = project.metadata;
  const [open, setOpen] = useState<'details' | 'deletion'>();
  const close = () => setOpen(undefined);
  const [write, remove, createWebhook] = usePermissions([
    { verb: 'patch', kind: kinds.project, name },
    { verb: 'delete', kind: kinds.project, name },
    { verb: 'create', kind: kinds.webhook, namespace: projectNamespace(name) },
  ]);
  const isTerminating = deletionTimestamp !== undefined;
  return (
    <>
      <ObjectHeader object={project} back={back}>
        {isTerminating ? null : <CreateButtons project={name} />}
        <PermittedButton isPermitted={write?.allowed} icon="edit" onClick={() => setOpen('details')}>
          Edit details
        </PermittedButton>
        {remove?.allowed === true && !isTerminating && !isProtected(project) ? (
          <DeleteButton onClick={() => setOpen('deletion')} />
        ) : null}
      </ObjectHeader>
      {isTerminating ? (
        <Alert color="orange" mb="md" role="status" title="This project is being deleted">
          Its virtual clusters and spaces are deleted first. Nothing new can be created in it.
        </Alert>
      ) : null}
      <DetailTabs
        label="Project sections"
        tabs={[
          { id: 'overview', label: 'Overview', render: () => <OverviewTab project={project} /> },
          {
            id: 'virtual-clusters',
            label: 'Virtual clusters',
            render: () => <InstancesTab type={virtualClusterType} project={name} />,
          },
          { id: 'spaces', label: 'Spaces', render: () => <InstancesTab type={spaceType} project={name} /> },
          { id: 'members', label: 'Members', render: () => <MembersTab project={project} /> },
          { id: 'allowed', label: 'Clusters and templates', render: () => <AllowedTab project={project} /> },
          { id: 'quotas', label: 'Quotas', render: () => <QuotasTab project={project} /> },
          {
            id: 'usage',
            label: 'Usage',
            render: () => <UsageTab owner={{ kind: kinds.project, place: { name } }} />,
          },
          {
            id: 'activity',
            label: 'Activity',
            render: () => <ActivityTab query={{ namespace: projectNamespace(name) }} />,
          },
          ...(createWebhook?.allowed === true
            ? [{ id: 'webhooks', label: 'Webhooks', render: () => <WebhooksTab project={name} /> }]
            : []),
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
          aboutOwner="The owner may change the display name, description and members."
          onClose={close}
        />
      ) : null}
      {open === 'deletion' ? <DeleteProject project={project} onClose={close} /> : null}
    </>
  );
}

/** Buttons for the instances that the user may create in the project. */
function CreateButtons({ project }: { readonly project: string }) {
  const namespace = projectNamespace(project);
  const [create, createSpace] = usePermissions([
    { verb: 'create', kind: kinds.instance, namespace },
    { verb: 'create', kind: kinds.space, namespace },
  ]);
  return (
    <>
      {create?.allowed === true ? (
        <LinkButton to="/virtual-clusters/new" search={{ project }} leftSection={<Icon name="plus" />}>
          New virtual cluster
        </LinkButton>
      ) : null}
      {createSpace?.allowed === true ? (
        <LinkButton to="/spaces/new" search={{ project }} variant="default" leftSection={<Icon name="plus" />}>
          New space
        </LinkButton>
      ) : null}
    </>
  );
}
