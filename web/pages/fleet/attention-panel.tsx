import { Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import classes from './attention-panel.module.css';
import type { Issue, IssueTarget } from './issues.ts';

/** The maximum number of issues that the panel shows. */
const maxShown = 8;

export interface AttentionPanelProps {
  readonly issues: readonly Issue[];
  /** `loading` until all data is loaded; `unavailable` if the server does not respond. */
  readonly dataState: 'complete' | 'loading' | 'unavailable';
}

const emptyTexts: Readonly<Record<AttentionPanelProps['dataState'], string>> = {
  complete: 'Nothing needs attention.',
  loading: 'Loading…',
  unavailable: 'Unknown, because the server does not respond.',
};

/** A panel with the issues that the user should resolve. */
export function AttentionPanel({ issues, dataState }: AttentionPanelProps) {
  return (
    <Panel title="Needs attention">
      {issues.length === 0 ? (
        <Group gap="sm" c="dimmed">
          <Icon name={dataState === 'complete' ? 'check' : 'clock'} />
          <Text size="sm">{emptyTexts[dataState]}</Text>
        </Group>
      ) : (
        <Stack gap={0}>
          {issues.slice(0, maxShown).map(({ key, urgency, what, why, next, target }) => (
            <article key={key} className={classes.matter} data-urgency={urgency}>
              <Icon name={urgency === 'now' ? 'warning' : 'clock'} />
              <div>
                <IssueLink target={target}>{what}</IssueLink>
                {why === '' ? null : <Text size="sm">{why}</Text>}
                <Text size="sm" c="dimmed">
                  {next}
                </Text>
              </div>
            </article>
          ))}
          {issues.length <= maxShown ? null : (
            <Text size="sm" c="dimmed" mt="xs">
              And {issues.length - maxShown} more.
            </Text>
          )}
        </Stack>
      )}
    </Panel>
  );
}

function IssueLink({ target, children }: { readonly target: IssueTarget; readonly children: string }) {
  if (target.page === 'key') {
    return (
      <Link to="/keys/named/$key" params={{ key: target.name }}>
        {children}
      </Link>
    );
  }
  if (target.page === 'cluster') {
    return (
      <Link to="/hosts/$cluster" params={{ cluster: target.name }}>
        {children}
      </Link>
    );
  }
  return (
    <Link to="/virtual-clusters/$project/$name" params={{ project: target.project, name: target.name }}>
      {children}
    </Link>
  );
}
