import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { DeleteButton } from '../../components/delete-button.tsx';
import { EditDetails } from '../../components/form/edit-details.tsx';
import { DetailTabs } from '../../components/object/detail-tabs.tsx';
import { ObjectHeader } from '../../components/object/object-header.tsx';
import { ObjectPage } from '../../components/object/object-page.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { usePermissions } from '../../data/permissions.ts';
import {
  spaceTemplateType,
  type Template as TemplateObject,
  type TemplateType,
  virtualClusterTemplateType,
} from '../../data/template-types.ts';
import { CreateTemplate } from './create-template.tsx';
import { DeleteTemplate } from './delete-template.tsx';
import { EditTab } from './edit-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { VersionsTab } from './versions-tab.tsx';

/** The page of a template for virtual clusters. */
export function TemplatePage() {
  const { template } = useParams({ from: '/templates/$template' });
  return <TemplateView type={virtualClusterTemplateType} name={template} label="Templates" />;
}

/** The page of a template for spaces. */
export function SpaceTemplatePage() {
  const { template } = useParams({ from: '/space-templates/$template' });
  return <TemplateView type={spaceTemplateType} name={template} label="Space templates" />;
}

interface TemplateViewProps {
  readonly type: TemplateType;
  readonly name: string;
  /** The title of the list. */
  readonly label: string;
}

function TemplateView({ type, name, label }: TemplateViewProps) {
  return (
    <ObjectPage kind={type.kind} name={name} what="template" list={{ to: type.listPath, label }}>
      {(template, back) => <Template key={template.metadata.uid} type={type} template={template} back={back} />}
    </ObjectPage>
  );
}

interface TemplateProps {
  readonly type: TemplateType;
  readonly template: TemplateObject;
  readonly back: ReactNode;
}

function Template({ type, template, back }: TemplateProps) {
  const { name = '' } = template.metadata;
  const navigate = useNavigate();
  const [open, setOpen] = useState<'details' | 'copy' | 'deletion'>();
  const close = () => setOpen(undefined);
  const [create, patch, update, remove] = usePermissions([
    { verb: 'create', kind: type.kind },
    { verb: 'patch', kind: type.kind, name },
    { verb: 'update', kind: type.kind, name },
    { verb: 'delete', kind: type.kind, name },
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
        {remove?.allowed === true ? <DeleteButton onClick={() => setOpen('deletion')} /> : null}
      </ObjectHeader>
      <DetailTabs
        label="Template sections"
        tabs={[
          { id: 'overview', label: 'Overview', render: () => <OverviewTab type={type} template={template} /> },
          {
            id: 'edit',
            label: 'YAML',
            render: () => <EditTab type={type} template={template} readOnly={update?.allowed !== true} />,
          },
          {
            id: 'versions',
            label: 'Versions',
            render: () => <VersionsTab type={type} template={template} mayChange={patch?.allowed === true} />,
          },
        ]}
      />
      {open === 'details' ? (
        <EditDetails
          kind={type.kind}
          object={template}
          aboutOwner="The owner may change and delete the template."
          onClose={close}
        />
      ) : null}
      {open === 'copy' ? <CreateTemplate type={type} from={name} onClose={close} /> : null}
      {open === 'deletion' ? (
        <DeleteTemplate
          type={type}
          template={template}
          onClose={close}
          onDeleted={() => void navigate({ to: type.listPath })}
        />
      ) : null}
    </>
  );
}
