import { NativeSelect, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { Panel } from '../../../components/panel.tsx';
import type { OpenProject } from '../../../data/use-open-projects.ts';
import type { FormPartProps } from './form-part.ts';

interface PlacePanelProps extends FormPartProps {
  readonly projects: readonly OpenProject[];
}

/** What it is called, and in which project it is. */
export function PlacePanel({ form, problem, projects }: PlacePanelProps) {
  return (
    <Panel title="What and where">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <NativeSelect
          label="Project"
          description="Who can see it, and within which limits it is."
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
          description="Letters a–z, digits and dashes."
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
          description="What people call it."
          value={form.text('spec', 'displayName')}
          onChange={(event) => form.set(['spec', 'displayName'], event.currentTarget.value)}
          error={problem('spec.displayName')}
          autoComplete="off"
          data-path="spec.displayName"
        />
        <Textarea
          label="Description"
          description="What it is for."
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
