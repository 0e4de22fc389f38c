import { List, Text, ThemeIcon } from '@mantine/core';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import type { ScopeDescription } from './describe-scope.ts';

export interface ScopePanelProps {
  readonly title: string;
  readonly description: ScopeDescription;
  /** A sentence about the expiration of the key. */
  readonly lifetime?: string;
}

/** A panel that describes the permissions of an access key. Screen readers announce each change. */
export function ScopePanel({ title, description, lifetime }: ScopePanelProps) {
  const { summary, can, cannot } = description;
  return (
    <Panel title={title}>
      <div aria-live="polite">
        <Text size="sm" fw={600}>
          {summary}
        </Text>
        {can.length === 0 ? null : <Lines lines={can} icon="check" color="teal" label="Allowed" />}
        {cannot.length === 0 ? null : (
          <>
            <Text size="sm" fw={600} mt="md">
              Not allowed:
            </Text>
            <Lines lines={cannot} icon="close" color="gray" label="Not allowed" />
          </>
        )}
        {lifetime === undefined ? null : (
          <Text size="sm" mt="md">
            {lifetime}
          </Text>
        )}
      </div>
    </Panel>
  );
}

interface LinesProps {
  readonly lines: readonly string[];
  readonly icon: 'check' | 'close';
  readonly color: string;
  readonly label: string;
}

function Lines({ lines, icon, color, label }: LinesProps) {
  return (
    <List
      size="sm"
      spacing={6}
      mt="xs"
      styles={{ itemWrapper: { alignItems: 'flex-start' } }}
      aria-label={label}
      icon={
        <ThemeIcon size={18} radius="xl" variant="light" color={color}>
          <Icon name={icon} size={12} />
        </ThemeIcon>
      }
    >
      {lines.map((line) => (
        <List.Item key={line}>{line}</List.Item>
      ))}
    </List>
  );
}
