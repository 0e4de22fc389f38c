import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { VirtualClusterTemplate } from '../../../src/api/management/v1/virtual-cluster-template.ts';
import { EditDetails } from '../../components/form/edit-details.tsx';
import { DetailTabs } from '../../components/object/detail-tabs.tsx';
import { ObjectHeader } from '../../components/object/object-header.tsx';
import { ObjectPage } from '../../components/object/object-page.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { usePermissions } from '../../data/permissions.ts';
import { CreateTemplate } from './create-template.tsx';
import { DeleteTemplate } from './delete-template.tsx';
import { EditTab } from './edit-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { VersionsTab } from './versions-tab.tsx';

const list = { to: '/templates', label: 'Templates' } as const;

/** The page of a template. */
export function TemplatePage() {
  const { template: name } = useParams({ from: '/templates/$template' });
  return (
    <ObjectPage kind={kinds.template} name={name} what="template" list={list}>
      {(template, back) => <Template key={template.metadata.uid} template={template} back={back} />}
    </ObjectPage>
  );
}

function Template({ template, back }: { readonly template: VirtualClusterTemplate; readonly back: ReactNode }) {
  const { name = '' } = template.metadata;
  const navigate = useNavigate();
  const [open, setOpen] = useState<'details' | 'copy' | 'deletion'>();
  const close = () => setOpen(undefined);
  const [create, patch, update, remove] = usePermissions([
    { verb: 'create', kind: kinds.template },
    { verb: 'patch', kind: kinds.template, name },
    { verb: 'update', kind: kinds.template, name },
    { verb: 'delete', kind: kinds.template, name },
  ]);
  return (
    <>
      <ObjectHeader object={template} back={back}>
        <PermittedButton isPermitted={patch?.allowed} icon="edit" onClick={() => setOpen('details')}>
          Edit details
        </PermittedButton>
        <PermittedButton isPermitted={create?.allowed} icon="copy" onClick={() => setOpen('copy')}>
          Duplicate
        </PermittedButton>
        <PermittedButton isPermitted={remove?.allowed} icon="trash" onClick={() => setOpen('deletion')}>
          Delete
        </PermittedButton>
      </ObjectHeader>
      <DetailTabs
        label="Template sections"
        tabs={[
          { id: 'overview', label: 'Overview', render: () => <OverviewTab template={template} /> },
          {
            id: 'edit',
            label: 'YAML',
            render: () => <EditTab template={template} readOnly={update?.allowed !== true} />,
          },
          {
            id: 'versions',
            label: 'Versions',
            render: () => <VersionsTab template={template} mayChange={patch?.allowed === true} />,
          },
        ]}
      />
      {open === 'details' ? (
        <EditDetails
          kind={kinds.template}
          object={template}
          aboutOwner="The owner may change and delete the template."
          onClose={close}
        />
      ) : null}
      {open === 'copy' ? <CreateTemplate from={name} onClose={close} /> : null}
      {open === 'deletion' ? (
        <DeleteTemplate template={template} onClose={close} onDeleted={() => void navigate({ to: '/templates' })} />
      ) : null}
    </>
  );
}
