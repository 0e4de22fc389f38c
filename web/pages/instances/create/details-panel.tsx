import { NativeSelect, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { Panel } from '../../../components/panel.tsx';
import type { CreatableProject } from '../../../data/use-creatable-projects.ts';
import type { FormSectionProps } from './form-section.ts';

interface DetailsPanelProps extends FormSectionProps {
  readonly projects: readonly CreatableProject[];
}

/** A section of the creation form: project, name, display name and description. */
export function DetailsPanel({ form, problem, projects }: DetailsPanelProps) {
  return (
    <Panel title="Details">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <NativeSelect
          label="Project"
          description="The project determines access and quotas."
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
          description="Use lowercase letters, digits and hyphens."
          placeholder="demo"
          value={form.fields.name}
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
          description="Shown in the console instead of the name. Optional."
          value={form.fields.displayName}
          onChange={(event) => form.set(['spec', 'displayName'], event.currentTarget.value)}
          error={problem('spec.displayName')}
          autoComplete="off"
          data-path="spec.displayName"
        />
        <Textarea
          label="Description"
          description={`The purpose of the ${form.type.noun}. Optional.`}
          autosize
          minRows={1}
          maxRows={6}
          value={form.fields.description}
          onChange={(event) => form.set(['spec', 'description'], event.currentTarget.value)}
          error={problem('spec.description')}
          data-path="spec.description"
        />
      </SimpleGrid>
    </Panel>
  );
}
