import { SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { TemplateDefinition } from '../../../src/api/management/v1/template-definition.ts';
import type { VirtualClusterTemplate } from '../../../src/api/management/v1/virtual-cluster-template.ts';
import { defaultVirtualClusterRole } from '../../../src/api/management/virtual-cluster-roles.ts';
import { Command } from '../../components/command.tsx';
import { Age } from '../../components/object/age.tsx';
import { DetailList } from '../../components/object/detail-list.tsx';
import { PrincipalLink } from '../../components/object/principal-link.tsx';
import { Panel } from '../../components/panel.tsx';
import { pluralize } from '../../data/format-text.ts';
import { ownerOf } from '../../data/owner.ts';
import { ParameterTable } from './parameter-table.tsx';
import { templateSpec, templateVersions } from './template-versions.ts';
import { useTemplateInstances } from './use-template-instances.ts';

/** A tab with the details, contents and parameters of a template. */
export function OverviewTab({ template }: { readonly template: VirtualClusterTemplate }) {
  const { name = '', creationTimestamp } = template.metadata;
  const [newest] = templateVersions(template);
  const made = useTemplateInstances(name);
  const owner = ownerOf(template);
  const { definition = {}, parameters = [], version = '' } = newest ?? {};
  return (
    <Stack gap={0}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" verticalSpacing={0}>
        <Panel title="Details">
          <DetailList
            items={{
              Description: templateSpec(template).description,
              Owner: owner === undefined ? undefined : <PrincipalLink principal={owner} />,
              'Newest version': version,
              'Virtual clusters':
                made.length === 0 ? (
                  'None that you can see'
                ) : (
                  <Link to="/virtual-clusters" search={{ filter: { Template: name } }}>
                    {made.length}
                  </Link>
                ),
              Age: <Age since={creationTimestamp} />,
            }}
          />
          <Text size="sm" c="dimmed" mt="md" mb={4}>
            To create a virtual cluster from this template on the command line:
          </Text>
          <Command text={`flotilla create demo --template ${name}`} />
        </Panel>
        <div>
          <Panel title="Contents">
            <DetailList
              items={{
                'Objects in the virtual cluster': definition.objects
                  ? `${objectCount(definition.objects)}, applied after the virtual cluster is ready`
                  : 'None',
                'Objects on the host cluster': definition.spaceTemplate?.objects
                  ? `${objectCount(definition.spaceTemplate.objects)}, in the namespace of the virtual cluster`
                  : 'None',
                Chart: definition.helmRelease?.chart?.name,
                'Chart values': definition.helmRelease?.values ? 'Set' : undefined,
              }}
            />
          </Panel>
          <Panel title="Access">
            <AccessSummary access={definition.access} />
          </Panel>
        </div>
      </SimpleGrid>
      <Panel title="Parameters">
        <ParameterTable parameters={parameters} />
      </Panel>
    </Stack>
  );
}

/** The cluster roles that users get inside the virtual clusters of the template. */
function AccessSummary({ access }: { readonly access: TemplateDefinition['access'] }) {
  const rules = access?.rules ?? [];
  return (
    <>
      <Text size="sm">
        Every user with access to a virtual cluster of this template has the cluster role{' '}
        <span className="mono">{access?.defaultClusterRole || defaultVirtualClusterRole}</span> in it, unless an access
        rule assigns other roles to the user.
      </Text>
      <Text size="sm" c="dimmed" mt="xs">
        {rules.length === 0
          ? 'The template has no access rules.'
          : `The template has ${pluralize(rules.length, 'access rule')}. The YAML tab shows ${rules.length === 1 ? 'it' : 'them'}.`}
      </Text>
    </>
  );
}

/** Returns the number of YAML documents in a template text. A document inside a template loop counts as one. */
function objectCount(text: string): string {
  return pluralize(text.split(/^---\s*$/m).filter((one) => one.trim() !== '').length, 'object');
}
