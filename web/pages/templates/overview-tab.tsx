import { SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TemplateDefinition } from '../../../src/api/management/v1/template-definition.ts';
import { Command } from '../../components/command.tsx';
import { Age } from '../../components/object/age.tsx';
import { DetailList } from '../../components/object/detail-list.tsx';
import { PrincipalLink } from '../../components/object/principal-link.tsx';
import { Panel } from '../../components/panel.tsx';
import { pluralize } from '../../data/format-text.ts';
import { ownerOf } from '../../data/owner.ts';
import type { Template, TemplateType } from '../../data/template-types.ts';
import { createCommandText } from './create-command-text.ts';
import { ParameterTable } from './parameter-table.tsx';
import { type TemplateVersion, templateSpec, templateVersions } from './template-versions.ts';
import { useTemplateInstances } from './use-template-instances.ts';

interface TemplateTabProps {
  readonly type: TemplateType;
  readonly template: Template;
}

/** A tab with the details, contents and parameters of a template. */
export function OverviewTab({ type, template }: TemplateTabProps) {
  const { name = '', creationTimestamp } = template.metadata;
  const [newest] = templateVersions(template);
  const made = useTemplateInstances(type.instanceKind, name);
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
              [`${type.noun.charAt(0).toUpperCase()}${type.noun.slice(1)}s`]:
                made.length === 0 ? (
                  'None that you can see'
                ) : (
                  <Link to={type.instancesPath} search={{ filter: { Template: name } }}>
                    {made.length}
                  </Link>
                ),
              Age: <Age since={creationTimestamp} />,
            }}
          />
          <Text size="sm" c="dimmed" mt="md" mb={4}>
            To create a {type.noun} from this template on the command line:
          </Text>
          <Command text={createCommandText(type, name, parameters)} />
        </Panel>
        <div>
          <Panel title="Contents">
            <DetailList items={contentsOf(type, definition)} />
          </Panel>
          <Panel title="Access">
            <AccessSummary type={type} access={definition.access} />
          </Panel>
        </div>
      </SimpleGrid>
      <Panel title="Parameters">
        <ParameterTable parameters={parameters} />
      </Panel>
    </Stack>
  );
}

function contentsOf(type: TemplateType, definition: TemplateVersion['definition']): Record<string, ReactNode> {
  const objects = definition.objects ? `${objectCount(definition.objects)}, applied in the ${type.noun}` : 'None';
  if (type.noun === 'space') {
    const { resourceQuota, limitRange } = definition;
    return {
      'Objects in the space': objects,
      'Resource quota': resourceQuota === undefined ? undefined : 'Set',
      'Limit range': limitRange === undefined ? undefined : 'Set',
    };
  }
  const { spaceTemplate, helmRelease } = definition;
  return {
    'Objects in the virtual cluster': objects,
    'Objects on the host cluster': spaceTemplate?.objects
      ? `${objectCount(spaceTemplate.objects)}, in the namespace of the virtual cluster`
      : 'None',
    Chart: helmRelease?.chart?.name,
    'Chart values': helmRelease?.values ? 'Set' : undefined,
  };
}

/** The cluster roles that users get inside the instances of the template. */
function AccessSummary({
  type,
  access,
}: {
  readonly type: TemplateType;
  readonly access: TemplateDefinition['access'];
}) {
  const rules = access?.rules ?? [];
  return (
    <>
      <Text size="sm">
        Every user with access to a {type.noun} of this template has the cluster role{' '}
        <span className="mono">{access?.defaultClusterRole || type.defaultRole}</span> in it, unless an access rule
        assigns other roles to the user.
      </Text>
      <Text size="sm" c="dimmed" mt="xs">
        {rules.length === 0
          ? 'The template has no access rules.'
          : `The template has ${pluralize(rules.length, 'access rule')}. The YAML tab shows ${rules.length === 1 ? 'it' : 'them'}.`}
      </Text>
    </>
  );
}

/**
 * Returns the number of YAML documents in a template text. A document inside a loop of the template counts as one,
 * however often the loop runs.
 */
function objectCount(text: string): string {
  return pluralize(text.split(/^---\s*$/m).filter((one) => one.trim() !== '').length, 'object');
}
