import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Project } from '../../../src/api/management/v1/project.ts';
import { projectNamespace } from '../../../src/api/naming.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { notify } from '../../components/notifications.tsx';
import { QuotaBar } from '../../components/object/quota-bar.tsx';
import { Panel } from '../../components/panel.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { patchObject } from '../../data/objects/objects.ts';
import { usePermission } from '../../data/permissions.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { LimitInput } from './limit-input.tsx';
import { quotaPatch, quotaUsage } from './project-spec.ts';

/** The maximum number of owners shown, highest usage first. */
const maxOwners = 100;

/** The quota usage of the project and of each owner in it. */
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
            No limit per user or team; only the project quota applies.
          </Text>
        ) : (
          <Stack gap="md">
            <Text size="sm" c="dimmed">
              {quotas.perOwner.length === 0
                ? `The limit is ${quotas.user} each. None are in use yet.`
                : `The limit is ${quotas.user} each.`}
            </Text>
            {quotas.perOwner.slice(0, maxOwners).map(({ owner, used }) => (
              <QuotaBar key={owner} label={owner} used={used} limit={quotas.user} />
            ))}
            {quotas.perOwner.length > maxOwners ? (
              <Text size="sm" c="dimmed">
                And {quotas.perOwner.length - maxOwners} more with lower usage.
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
  // The values when the form was opened.
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
              Lower limits apply to new virtual clusters only; existing ones are kept.
            </Text>
            <LimitInput
              label="Virtual clusters in the project"
              value={projectLimit}
              onChange={setProjectLimit}
              error={problem('spec.quotas.project')}
            />
            <LimitInput
              label="Virtual clusters per user or team"
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
