import { Box, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Project } from '../../../src/api/management/v1/project.ts';
import { projectNamespace } from '../../../src/api/naming.ts';
import { Age } from '../../components/object/age.tsx';
import { ProtectionSwitch } from '../../components/object/deletion-protection.tsx';
import { DetailList } from '../../components/object/detail-list.tsx';
import { PhaseTiles } from '../../components/object/phase-tiles.tsx';
import { PrincipalLink } from '../../components/object/principal-link.tsx';
import { QuotaBar } from '../../components/object/quota-bar.tsx';
import { TimeToReady } from '../../components/object/time-to-ready.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { ownerOf } from '../../data/owner.ts';
import { usePermission } from '../../data/permissions.ts';
import { loadedCount } from '../../data/rows/fleet-counts.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { useSeesAll } from '../../data/rows/use-sees-all.ts';
import { projectSpec, quotaUsage, readyDays } from './project-spec.ts';

/** A tab with an overview of a project: virtual clusters, details, quotas and time to Ready. */
export function OverviewTab({ project }: { readonly project: Project }) {
  const { name = '', creationTimestamp } = project.metadata;
  const { description, members = [] } = projectSpec(project);
  const namespace = projectNamespace(name);
  const instances = useRows({ kind: kinds.instance, namespace });
  const quotas = quotaUsage(project, 'virtualclusterinstances');
  const spaces = useRows({ kind: kinds.space, namespace });
  const spaceQuotas = quotaUsage(project, 'spaceinstances');
  const seesAll = useSeesAll(kinds.instance, namespace);
  const used = quotas.used ?? (seesAll ? loadedCount(instances) : undefined);
  const owner = ownerOf(project);
  const mayChange = usePermission({ verb: 'patch', kind: kinds.project, name }).allowed;
  return (
    <>
      {/* Zeros would say that the project is empty, which a caller who may not see everything in it cannot know. */}
      {instances.state === 'refused' || (!seesAll && instances.rows.length === 0) ? null : (
        <Box mb="md">
          <PhaseTiles instances={instances} filter={{ Project: name }} seesAll={seesAll} />
        </Box>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" verticalSpacing={0}>
        <div>
          <Panel title="Details">
            <DetailList
              items={{
                Description: description,
                Owner: owner === undefined ? undefined : <PrincipalLink principal={owner} />,
                Members: String(members.length),
                Namespace: <span className="mono">{namespace}</span>,
                Age: <Age since={creationTimestamp} />,
              }}
            />
            <Box mt="md">
              <ProtectionSwitch kind={kinds.project} object={project} mayChange={mayChange} />
            </Box>
          </Panel>
          <Panel title="Quotas">
            <Stack gap="md">
              <QuotaBar label="Virtual clusters" used={used} limit={quotas.project} />
              <QuotaBar
                label="Spaces"
                used={spaceQuotas.used ?? (seesAll ? loadedCount(spaces) : undefined)}
                limit={spaceQuotas.project}
              />
              {quotas.user === undefined ? (
                <Text size="sm" c="dimmed">
                  No quota per user or team.
                </Text>
              ) : (
                quotas.perOwner
                  .slice(0, maxOwners)
                  .map((one) => <QuotaBar key={one.owner} label={one.owner} used={one.used} limit={quotas.user} />)
              )}
            </Stack>
          </Panel>
        </div>
        <div>
          <Panel title="Time to Ready">
            <TimeToReady days={[readyDays(project)]} />
          </Panel>
        </div>
      </SimpleGrid>
    </>
  );
}

/** The maximum number of users and teams whose quota usage this tab shows. The Quotas tab shows more. */
const maxOwners = 4;
