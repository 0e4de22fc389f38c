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
import { loadedCount } from '../../data/rows/fleet-counts.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { useSeesAll } from '../../data/rows/use-sees-all.ts';
import { LimitInput } from './limit-input.tsx';
import { type QuotaLimits, quotaPatch, quotaUsage } from './project-spec.ts';

/** The maximum number of users and teams that the tab shows, the highest usage first. */
const maxOwners = 100;

/** The types of instances that quotas count. */
const quotaTypes = [
  { resource: 'virtualclusterinstances', noun: 'virtual cluster', label: 'Virtual clusters', kind: kinds.instance },
  { resource: 'spaceinstances', noun: 'space', label: 'Spaces', kind: kinds.space },
] as const;

type QuotaType = (typeof quotaTypes)[number];

interface QuotaTypeProps {
  readonly type: QuotaType;
  readonly project: Project;
}

/** A tab with the quota usage of the project and of each user and team in it. */
export function QuotasTab({ project }: { readonly project: Project }) {
  const { name = '' } = project.metadata;
  const [isEditing, setEditing] = useState(false);
  const { allowed: maySet } = usePermission({ verb: 'update', kind: kinds.project, name, subresource: 'spec.quotas' });
  const limited = quotaTypes.filter(({ resource }) => quotaUsage(project, resource).user !== undefined);
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
        <Stack gap="md">
          {quotaTypes.map((type) => (
            <ProjectQuota key={type.resource} type={type} project={project} />
          ))}
        </Stack>
      </Panel>
      <Panel title="Quota per user and team">
        {limited.length === 0 ? (
          <Text size="sm" c="dimmed">
            The project sets no quota per user or team. The default limits of the server apply.
          </Text>
        ) : (
          <Stack gap="md">
            {limited.map((type) => (
              <OwnerQuotas key={type.resource} type={type} project={project} />
            ))}
          </Stack>
        )}
      </Panel>
      {isEditing ? <EditQuotas project={project} onClose={() => setEditing(false)} /> : null}
    </>
  );
}

function ProjectQuota({ type: { resource, label, kind }, project }: QuotaTypeProps) {
  const namespace = projectNamespace(project.metadata.name ?? '');
  const rows = useRows({ kind, namespace });
  const seesAll = useSeesAll(kind, namespace);
  const { used, project: limit } = quotaUsage(project, resource);
  return <QuotaBar label={label} used={used ?? (seesAll ? loadedCount(rows) : undefined)} limit={limit} />;
}

function OwnerQuotas({ type: { resource, noun }, project }: QuotaTypeProps) {
  const { user: limit = 0, perOwner } = quotaUsage(project, resource);
  return (
    <>
      <Text size="sm" c="dimmed">
        Each user and team may have up to {pluralize(limit, noun)}.{perOwner.length === 0 ? ' Nobody has any yet.' : ''}
      </Text>
      {perOwner.slice(0, maxOwners).map(({ owner, used }) => (
        <QuotaBar key={owner} label={owner} used={used} limit={limit} />
      ))}
      {perOwner.length > maxOwners ? (
        <Text size="sm" c="dimmed">
          And {pluralize(perOwner.length - maxOwners, 'more user or team', 'more users and teams')} with lower usage.
        </Text>
      ) : null}
    </>
  );
}

function EditQuotas({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) {
  const { name = '' } = project.metadata;
  // The limits when the form was opened. Only limits that differ from these values are sent.
  const [before] = useState(() => quotaTypes.map(({ resource }): QuotaLimits => quotaUsage(project, resource)));
  const [limits, setLimits] = useState(before);
  const noLimits: QuotaLimits = { project: undefined, user: undefined };
  return (
    <FormDialog
      title={`Quotas of ${name}`}
      action="Save"
      onClose={onClose}
      onSend={async () => {
        const changes = quotaTypes.map(({ resource }, at) => ({
          resource,
          before: before[at] ?? noLimits,
          after: limits[at] ?? noLimits,
        }));
        await patchObject(kinds.project, { name }, quotaPatch(changes));
        notify.done(`Saved ${name}`);
      }}
    >
      {(error) => (
        <>
          <Text size="sm" c="dimmed">
            A lower limit applies only to new virtual clusters and spaces. Existing ones are kept.
          </Text>
          {quotaTypes.map(({ resource, noun }, at) => {
            const set = (change: Partial<QuotaLimits>) =>
              setLimits(limits.map((one, index) => (index === at ? { ...one, ...change } : one)));
            const problem = (part: string) => fieldProblems(error)(`spec.quotas.${part}.${resource}`);
            return (
              <Stack key={resource} gap="md">
                <LimitInput
                  label={`Maximum number of ${noun}s in the project`}
                  value={limits[at]?.project}
                  onChange={(value) => set({ project: value })}
                  error={problem('project')}
                />
                <LimitInput
                  label={`Maximum number of ${noun}s per user or team`}
                  value={limits[at]?.user}
                  onChange={(value) => set({ user: value })}
                  error={problem('user')}
                />
              </Stack>
            );
          })}
        </>
      )}
    </FormDialog>
  );
}
