import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { projectNamespace } from '../../../src/api/naming.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../components/notices.tsx';
import { Panel } from '../../components/panel.tsx';
import { QuotaBar } from '../../components/quota-bar.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { patchObject } from '../../data/objects.ts';
import { useMay } from '../../data/permissions.ts';
import { useRows } from '../../data/use-rows.ts';
import { LimitInput } from './limit-input.tsx';
import { quotaPatch, quotaUse } from './project-spec.ts';

/** The greatest are worth a look; nobody reads on. */
const mostOwners = 100;

/** How much of what is allowed is used, by the project and by each who owns something in it. */
export function QuotasTab({ project }: { readonly project: KubeObject }) {
  const { name = '' } = project.metadata;
  const [isEditing, setEditing] = useState(false);
  const { allowed: maySet } = useMay({ verb: 'update', kind: kinds.project, name, subresource: 'spec.quotas' });
  const instances = useRows({ kind: kinds.instance, namespace: projectNamespace(name) });
  const quotas = quotaUse(project);
  return (
    <>
      <Panel
        title="The whole project"
        actions={
          maySet ? (
            <Button variant="default" size="xs" onClick={() => setEditing(true)}>
              Change limits
            </Button>
          ) : undefined
        }
      >
        <QuotaBar label="Virtual clusters" used={quotas.used ?? instances.rows.length} limit={quotas.project} />
      </Panel>
      <Panel title="Each user and team">
        {quotas.user === undefined ? (
          <Text size="sm" c="dimmed">
            Each may have as many as the project has room for.
          </Text>
        ) : (
          <Stack gap="md">
            <Text size="sm" c="dimmed">
              {quotas.perOwner.length === 0
                ? `Each may have ${quotas.user}. Nobody has any yet.`
                : `Each may have ${quotas.user}.`}
            </Text>
            {quotas.perOwner.slice(0, mostOwners).map(({ owner, used }) => (
              <QuotaBar key={owner} label={owner} used={used} limit={quotas.user} />
            ))}
            {quotas.perOwner.length > mostOwners ? (
              <Text size="sm" c="dimmed">
                And {quotas.perOwner.length - mostOwners} more who use less.
              </Text>
            ) : null}
          </Stack>
        )}
      </Panel>
      {isEditing ? <EditQuotas project={project} onClose={() => setEditing(false)} /> : null}
    </>
  );
}

function EditQuotas({ project, onClose }: { readonly project: KubeObject; readonly onClose: () => void }) {
  const { name = '' } = project.metadata;
  // As they were when the form was opened.
  const [before] = useState(() => quotaUse(project));
  const [whole, setWhole] = useState(before.project);
  const [each, setEach] = useState(before.user);
  return (
    <FormDialog
      title={`Limits of ${name}`}
      action="Save"
      onClose={onClose}
      onSend={async () => {
        await patchObject(kinds.project, { name }, quotaPatch(before, { project: whole, user: each }));
        notify.done(`The limits of ${name} are changed`);
      }}
    >
      {(error) => {
        const problem = fieldProblems(error);
        return (
          <>
            <Text size="sm" c="dimmed">
              A lower limit takes nothing away: it holds for what is made from now on.
            </Text>
            <LimitInput
              label="Virtual clusters of the project"
              value={whole}
              onChange={setWhole}
              error={problem('spec.quotas.project')}
            />
            <LimitInput
              label="Virtual clusters of each user or team"
              value={each}
              onChange={setEach}
              error={problem('spec.quotas.user')}
            />
          </>
        );
      }}
    </FormDialog>
  );
}
