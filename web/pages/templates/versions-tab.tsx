import type { JsonValue } from '@flotilla/json';
import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { Fragment, useState } from 'react';
import { RemoveButton } from '../../components/delete-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { SimpleTable } from '../../components/list/simple-table.tsx';
import { ValueDiff } from '../../components/object/value-diff.tsx';
import { Panel } from '../../components/panel.tsx';
import type { Template, TemplateType } from '../../data/template-types.ts';
import { DeleteVersion } from './delete-version.tsx';
import { NewVersion } from './new-version.tsx';
import { type TemplateVersion, templateVersions } from './template-versions.ts';

type Dialog =
  | { readonly type: 'new'; readonly from: TemplateVersion }
  | { readonly type: 'deletion'; readonly version: string };

export interface VersionsTabProps {
  readonly type: TemplateType;
  readonly template: Template;
  readonly mayChange: boolean;
}

/** A tab with the versions of a template. Users can create, delete and compare versions. */
export function VersionsTab({ type, template, mayChange }: VersionsTabProps) {
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const parts = templateVersions(template);
  const hasVersions = parts.some(({ version }) => version !== '');
  const [newest] = parts;
  const create =
    mayChange && newest !== undefined ? (
      <Button
        size="xs"
        leftSection={<Icon name="plus" size={16} />}
        onClick={() => setDialog({ type: 'new', from: newest })}
      >
        New version
      </Button>
    ) : null;
  return (
    <>
      <Panel title="Versions" actions={hasVersions ? create : null}>
        {hasVersions ? (
          <>
            <Text size="sm" c="dimmed" mb="sm">
              A {type.noun} requests a version such as 1.2.0 or 1.x.x and uses the newest version that matches.
            </Text>
            <SimpleTable
              label="Versions of the template"
              head={['Version', 'Parameters', 'Objects', ...(mayChange ? [''] : [])]}
              rows={parts.map((part) => ({
                key: part.path,
                cells: [
                  <Fragment key="version">
                    <span className="mono">{part.version}</span>
                    {part === newest ? ' (newest)' : ''}
                  </Fragment>,
                  String(part.parameters.length),
                  part.definition.objects ? 'Yes' : 'No',
                  ...(mayChange
                    ? [
                        <VersionActions
                          key="actions"
                          version={part.version}
                          onDuplicate={() => setDialog({ type: 'new', from: part })}
                          onDelete={() => setDialog({ type: 'deletion', version: part.version })}
                        />,
                      ]
                    : []),
                ],
              }))}
            />
          </>
        ) : (
          <EmptyState
            title="No versions yet"
            text={`The ${type.noun}s use the current template. If you create versions, each ${type.noun} selects one and is upgraded only on request.`}
            action={create}
          />
        )}
      </Panel>
      {parts.length > 1 ? <Comparison parts={parts} /> : null}
      {dialog?.type === 'new' ? (
        <NewVersion
          type={type}
          template={template}
          from={dialog.from}
          versions={parts.map((one) => one.version)}
          onClose={close}
        />
      ) : null}
      {dialog?.type === 'deletion' ? (
        <DeleteVersion type={type} template={template} version={dialog.version} onClose={close} />
      ) : null}
    </>
  );
}

interface VersionActionsProps {
  readonly version: string;
  onDuplicate(): void;
  onDelete(): void;
}

function VersionActions({ version, onDuplicate, onDelete }: VersionActionsProps) {
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button size="compact-sm" variant="default" aria-label={`Duplicate ${version}`} onClick={onDuplicate}>
        Duplicate
      </Button>
      <RemoveButton label={`Delete ${version}`} onClick={onDelete} />
    </Group>
  );
}

function comparedValue({ definition, parameters }: TemplateVersion): JsonValue {
  return { parameters: [...parameters], template: definition };
}

function Comparison({ parts }: { readonly parts: readonly TemplateVersion[] }) {
  const [before, setBefore] = useState<string>();
  const [after, setAfter] = useState<string>();
  const to = parts.find(({ version }) => version === after) ?? parts[0];
  const from = parts.find(({ version }) => version === before) ?? parts[1];
  const names = parts.map(({ version }) => version);
  if (from === undefined || to === undefined) return null;
  return (
    <Panel title="Compare versions">
      <Group gap="md" mb="md">
        <NativeSelect
          label="From"
          value={from.version}
          data={names}
          onChange={(event) => setBefore(event.currentTarget.value)}
        />
        <NativeSelect
          label="To"
          value={to.version}
          data={names}
          onChange={(event) => setAfter(event.currentTarget.value)}
        />
      </Group>
      <ValueDiff
        label={`From ${from.version} to ${to.version}`}
        before={comparedValue(from)}
        after={comparedValue(to)}
      />
    </Panel>
  );
}
