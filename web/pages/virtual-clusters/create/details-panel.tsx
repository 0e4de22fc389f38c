import { NativeSelect, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { Panel } from '../../../components/panel.tsx';
import type { CreatableProject } from '../../../data/use-creatable-projects.ts';
import type { FormSectionProps } from './form-section.ts';

interface PlacePanelProps extends FormSectionProps {
  readonly projects: readonly CreatableProject[];
}

/** The name and project of a new instance. */
export function DetailsPanel({ form, problem, projects }: PlacePanelProps) {
  return (
    <Panel title="Details">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <NativeSelect
          label="Project"
          description="Determines access and quotas."
          value={form.project}
          onChange={(event) => form.setProject(event.currentTarget.value)}
          error={problem('metadata.namespace')}
          data={projects.map(({ name, displayName }) => ({
            value: name,
            label: displayName === '' || displayName === name ? name : `${displayName} (${name})`,
          }))}
        />
        <TextInput
          label="Name"
          description="Lowercase letters, digits and hyphens."
          placeholder="demo"
          value={form.text('metadata', 'name')}
          onChange={(event) => form.setName(event.currentTarget.value)}
          error={problem('metadata.name')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-path="metadata.name"
          required
        />
        <TextInput
          label="Display name"
          description="A friendly name, shown instead of the name."
          value={form.text('spec', 'displayName')}
          onChange={(event) => form.set(['spec', 'displayName'], event.currentTarget.value)}
          error={problem('spec.displayName')}
          autoComplete="off"
          data-path="spec.displayName"
        />
        <Textarea
          label="Description"
          description="The purpose of the virtual cluster."
          autosize
          minRows={1}
          maxRows={6}
          value={form.text('spec', 'description')}
          onChange={(event) => form.set(['spec', 'description'], event.currentTarget.value)}
          error={problem('spec.description')}
          data-path="spec.description"
        />
      </SimpleGrid>
    </Panel>
  );
}
