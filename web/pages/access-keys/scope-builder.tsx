import { Button, Group, MultiSelect, Stack, Switch, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Scope } from '../../../src/api/management/v1/scope.ts';
import { scopeCliFlag } from '../../../src/api/naming.ts';
import { firstOptionOnEnter } from '../../components/form/first-option-on-enter.ts';
import { kinds } from '../../data/kind-ref.ts';
import { projectColumn } from '../../data/rows/list-columns.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { describeRule } from './describe-rule.ts';
import { withCliDefault } from './key-form.ts';

export interface ScopeBuilderProps {
  readonly scope: Scope;
  onChange(scope: Scope): void;
  /** Returns the server's message about the field at `path` or below it; `undefined` if there is none. */
  problem(path: string): string | undefined;
}

const multiSelectProps = {
  searchable: true,
  selectFirstOptionOnChange: true,
  onKeyDownCapture: firstOptionOnEnter(true),
  clearable: true,
  limit: 50,
  hidePickedOptions: true,
  comboboxProps: { shadow: 'md' },
};

type Choice = { readonly value: string; readonly label: string };

/** Returns the options of each select field. They are memoized, because typing in any field renders the form again. */
function useChoices(): Readonly<Record<'projects' | 'clusters' | 'virtualClusters' | 'spaces', Choice[]>> {
  const projects = useRows({ kind: kinds.project }).rows;
  const clusters = useRows({ kind: kinds.cluster }).rows;
  const instances = useRows({ kind: kinds.instance }).rows;
  const spaces = useRows({ kind: kinds.space }).rows;
  return useMemo(() => {
    const named = (rows: readonly Row[]) => rows.map(({ metadata: { name = '' } }) => ({ value: name, label: name }));
    const inProjects = (what: string, rows: readonly Row[]) => [
      { value: '*/*', label: `All ${what} in all projects` },
      ...named(projects).map(({ value }) => ({ value: `${value}/*`, label: `All ${what} in ${value}` })),
      ...rows.map((row) => {
        const value = `${projectColumn.text(row)}/${row.metadata.name ?? ''}`;
        return { value, label: value };
      }),
    ];
    return {
      projects: [{ value: '*', label: 'All projects' }, ...named(projects)],
      clusters: [{ value: '*', label: 'All clusters' }, ...named(clusters)],
      virtualClusters: inProjects('virtual clusters', instances),
      spaces: inProjects('spaces', spaces),
    };
  }, [projects, clusters, instances, spaces]);
}

function placeholderOf(chosen: readonly string[]): string {
  return chosen.length === 0 ? 'None' : '';
}

/** Form fields that select the scope of an access key. Each selected option extends the scope. */
export function ScopeBuilder({ scope, onChange, problem }: ScopeBuilderProps) {
  const { projects, clusters, virtualClusters, spaces } = useChoices();
  const chosenProjects = (scope.projects ?? []).map(({ project = '' }) => project);
  const chosenClusters = (scope.clusters ?? []).map(({ cluster = '' }) => cluster);
  const chosenInstances = (scope.virtualClusters ?? []).map(
    ({ project = '', virtualCluster = '' }) => `${project}/${virtualCluster}`,
  );
  const chosenSpaces = (scope.spaces ?? []).map(({ project = '', space = '' }) => `${project}/${space}`);
  return (
    <Stack gap="md">
      <MultiSelect
        {...multiSelectProps}
        label="Projects"
        description="The key has full access to all virtual clusters and spaces of these projects."
        placeholder={placeholderOf(chosenProjects)}
        data={projects}
        value={chosenProjects}
        error={problem('spec.scope.projects')}
        onChange={(names) => onChange({ ...scope, projects: names.map((project) => ({ project })) })}
      />
      <MultiSelect
        {...multiSelectProps}
        label="Virtual clusters"
        description="The key may view, connect to and use these virtual clusters, but not change or delete them."
        placeholder={placeholderOf(chosenInstances)}
        data={virtualClusters}
        value={chosenInstances}
        error={problem('spec.scope.virtualClusters')}
        onChange={(places) =>
          onChange({
            ...scope,
            virtualClusters: places.map(placeOf).map(({ project, name }) => ({ project, virtualCluster: name })),
          })
        }
      />
      <MultiSelect
        {...multiSelectProps}
        label="Spaces"
        description="The key may view, connect to and use these spaces, but not change or delete them."
        placeholder={placeholderOf(chosenSpaces)}
        data={spaces}
        value={chosenSpaces}
        error={problem('spec.scope.spaces')}
        onChange={(places) =>
          onChange({ ...scope, spaces: places.map(placeOf).map(({ project, name }) => ({ project, space: name })) })
        }
      />
      <MultiSelect
        {...multiSelectProps}
        label="Connected clusters"
        description="The key may view these clusters and use their Kubernetes APIs."
        placeholder={placeholderOf(chosenClusters)}
        data={clusters}
        value={chosenClusters}
        error={problem('spec.scope.clusters')}
        onChange={(names) => onChange({ ...scope, clusters: names.map((cluster) => ({ cluster })) })}
      />
      <Switch
        label="Allow the command-line tool and kubectl"
        description="Adds the read-only requests that flotilla and kubectl send before their own work, for example to list the available kinds."
        checked={withCliDefault(scope)[scopeCliFlag] === true}
        onChange={(event) => onChange({ ...scope, [scopeCliFlag]: event.currentTarget.checked })}
      />
      <Rules scope={scope} onChange={onChange} problem={problem} />
    </Stack>
  );
}

function placeOf(text: string): { project: string; name: string } {
  const at = text.indexOf('/');
  return { project: text.slice(0, at), name: text.slice(at + 1) };
}

/**
 * Lists the scope rules of a duplicated key. Users can remove rules but not add any. To extend the scope, they use the
 * other fields.
 */
function Rules({ scope, onChange, problem }: ScopeBuilderProps) {
  const { rules = [], ...others } = scope;
  if (rules.length === 0) return null;
  return (
    <div>
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          Rules
        </Text>
        <Button size="compact-xs" variant="default" onClick={() => onChange(others)}>
          Remove rules
        </Button>
      </Group>
      {rules.map((rule) => (
        <Text key={JSON.stringify(rule)} size="sm" c="dimmed">
          {describeRule(rule)}
        </Text>
      ))}
      {problem('spec.scope.rules') === undefined ? null : (
        <Text size="sm" c="red">
          {problem('spec.scope.rules')}
        </Text>
      )}
    </div>
  );
}
