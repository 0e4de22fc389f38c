import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Project } from '../../../src/api/management/v1/project.ts';
import { projectNamespace } from '../../../src/api/naming.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { notify } from '../../components/notifications.tsx';
import { QuotaBar } from '../../components/object/quota-bar.tsx';
import { Panel } from '../../components/panel.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { pluralize } from '../../data/format-text.ts';
import { kinds } from '../../data/kind-ref.ts';
import { patchObject } from '../../data/objects/objects.ts';
import { usePermission } from '../../data/permissions.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { LimitInput } from './limit-input.tsx';
import { quotaPatch, quotaUsage } from './project-spec.ts';

/** The maximum number of users and teams that the tab shows, the highest usage first. */
const maxOwners = 100;

/** A tab with the quota usage of the project and of each user and team in it. */
export function QuotasTab({ project }: { readonly project: Project }) {
  const { name = '' } = project.metadata;
  const [isEditing, setEditing] = useState(false);
  const { allowed: maySet } = usePermission({ verb: 'update', kind: kinds.project, name, subresource: 'spec.quotas' });
  const instances = useRows({ kind: kinds.instance, namespace: projectNamespace(name) });
  const quotas = quotaUsage(project);
  return (
    <>
      <Panel
        title="Project quota"
        actions={
          maySet ? (
            <Button variant="default" size="xs" onClick={() => setEditing(true)}>
              Edit quotas
            </Button>
          ) : undefined
        }
      >
        <QuotaBar label="Virtual clusters" used={quotas.used ?? instances.rows.length} limit={quotas.project} />
      </Panel>
      <Panel title="Quota per user and team">
        {quotas.user === undefined ? (
          <Text size="sm" c="dimmed">
            The project sets no quota per user or team. The default limits of the server apply.
          </Text>
        ) : (
          <Stack gap="md">
            <Text size="sm" c="dimmed">
              {quotas.perOwner.length === 0
                ? `Each user and team may have up to ${pluralize(quotas.user, 'virtual cluster')}. Nobody has any yet.`
                : `Each user and team may have up to ${pluralize(quotas.user, 'virtual cluster')}.`}
            </Text>
            {quotas.perOwner.slice(0, maxOwners).map(({ owner, used }) => (
              <QuotaBar key={owner} label={owner} used={used} limit={quotas.user} />
            ))}
            {quotas.perOwner.length > maxOwners ? (
              <Text size="sm" c="dimmed">
                And {pluralize(quotas.perOwner.length - maxOwners, 'more user or team', 'more users and teams')} with
                lower usage.
              </Text>
            ) : null}
          </Stack>
        )}
      </Panel>
      {isEditing ? <EditQuotas project={project} onClose={() => setEditing(false)} /> : null}
    </>
  );
}

function EditQuotas({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) {
  const { name = '' } = project.metadata;
  // The limits at the time at which the user opened the form. Only limits that differ from them are sent.
  const [before] = useState(() => quotaUsage(project));
  const [projectLimit, setProjectLimit] = useState(before.project);
  const [userLimit, setUserLimit] = useState(before.user);
  return (
    <FormDialog
      title={`Quotas of ${name}`}
      action="Save"
      onClose={onClose}
      onSend={async () => {
        await patchObject(kinds.project, { name }, quotaPatch(before, { project: projectLimit, user: userLimit }));
        notify.done(`Saved ${name}`);
      }}
    >
      {(error) => {
        const problem = fieldProblems(error);
        return (
          <>
            <Text size="sm" c="dimmed">
              A lower limit applies only to new virtual clusters. Existing virtual clusters are kept.
            </Text>
            <LimitInput
              label="Maximum number of virtual clusters in the project"
              value={projectLimit}
              onChange={setProjectLimit}
              error={problem('spec.quotas.project')}
            />
            <LimitInput
              label="Maximum number of virtual clusters per user or team"
              value={userLimit}
              onChange={setUserLimit}
              error={problem('spec.quotas.user')}
            />
          </>
        );
      }}
    </FormDialog>
  );
}
