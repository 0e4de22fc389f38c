import { Anchor, Button, Group } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { textAt } from '../../../src/lib/json-path.ts';
import { DetailTabs } from '../../components/detail-tabs.tsx';
import { EditDetails } from '../../components/edit-details.tsx';
import { Icon } from '../../components/icon.tsx';
import { LivePart } from '../../components/live-part.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { displayNameOf } from '../../data/display-name.ts';
import { kinds } from '../../data/kind-ref.ts';
import { useMayEach } from '../../data/permissions.ts';
import { useObject } from '../../data/use-object.ts';
import { CreateTemplate } from './create-template.tsx';
import { DeleteTemplate } from './delete-template.tsx';
import { EditTab } from './edit-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { VersionsTab } from './versions-tab.tsx';

const back = (
  <Anchor component={Link} to="/templates" size="sm">
    Templates
  </Anchor>
);

/** One template. */
export function TemplatePage() {
  const { template: name } = useParams({ from: '/templates/$template' });
  const live = useObject(kinds.template, { name });
  return (
    <LivePart live={live} what="template" name={name} back={back}>
      {(template) => <Template key={template.metadata.uid} template={template} />}
    </LivePart>
  );
}

function Template({ template }: { readonly template: KubeObject }) {
  const { name = '' } = template.metadata;
  const navigate = useNavigate();
  const [open, setOpen] = useState<'details' | 'copy' | 'deletion'>();
  const close = () => setOpen(undefined);
  const [create, patch, update, remove] = useMayEach([
    { verb: 'create', kind: kinds.template },
    { verb: 'patch', kind: kinds.template, name },
    { verb: 'update', kind: kinds.template, name },
    { verb: 'delete', kind: kinds.template, name },
  ]);
  return (
    <>
      <PageHeader
        title={displayNameOf(template)}
        above={back}
        about={textAt(template, 'spec', 'displayName') === '' ? undefined : <span className="mono">{name}</span>}
        actions={
          <Group gap="sm">
            {patch?.allowed === true ? (
              <Button variant="default" leftSection={<Icon name="edit" size={16} />} onClick={() => setOpen('details')}>
                Details
              </Button>
            ) : null}
            {create?.allowed === true ? (
              <Button variant="default" leftSection={<Icon name="copy" size={16} />} onClick={() => setOpen('copy')}>
                Copy
              </Button>
            ) : null}
            {remove?.allowed === true ? (
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
      <DetailTabs
        label="Parts of the template"
        tabs={[
          { id: 'overview', label: 'Overview', render: () => <OverviewTab template={template} /> },
          {
            id: 'edit',
            label: update?.allowed === true ? 'Edit' : 'Look inside',
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
          aboutOwner="May change the template and delete it."
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
