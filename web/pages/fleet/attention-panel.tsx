import { Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { pluralize } from '../../data/format-text.ts';
import classes from './attention-panel.module.css';
import type { AttentionState } from './attention-state.ts';
import { groupIssues, type Issue, type IssueGroup, type IssueTarget } from './issues.ts';

/** The maximum number of groups that the panel shows (`maxGroups`), and of objects in each group (`maxObjects`). */
const maxGroups = 8;
const maxObjects = 5;

interface AttentionPanelProps {
  readonly issues: readonly Issue[];
  readonly dataState: AttentionState;
}

const emptyTexts: Readonly<Record<AttentionState, string>> = {
  complete: 'Nothing needs attention.',
  partial: 'Nothing that you can see needs attention.',
  loading: 'Loading…',
  unavailable: 'Unknown, because the server does not respond.',
};

/** A panel with the issues that the user should resolve, grouped by their cause. */
export function AttentionPanel({ issues, dataState }: AttentionPanelProps) {
  const groups = useMemo(() => groupIssues(issues), [issues]);
  return (
    <Panel title="Needs attention">
      {issues.length === 0 ? (
        <Group gap="sm" c="dimmed">
          <Icon name={dataState === 'complete' || dataState === 'partial' ? 'check' : 'clock'} />
          <Text size="sm">{emptyTexts[dataState]}</Text>
        </Group>
      ) : (
        <Stack gap={0}>
          {groups.slice(0, maxGroups).map((group) => (
            <article key={group.key} className={classes.matter} data-urgency={group.first.urgency}>
              <Icon name={group.first.urgency === 'now' ? 'warning' : 'clock'} />
              <div>
                {group.issues.length === 1 ? <OneIssue issue={group.first} /> : <SeveralIssues group={group} />}
              </div>
            </article>
          ))}
          {groups.length <= maxGroups ? null : (
            <Text size="sm" c="dimmed" mt="xs">
              And {pluralize(groups.length - maxGroups, 'more cause', 'more causes')}.
            </Text>
          )}
        </Stack>
      )}
    </Panel>
  );
}

function OneIssue({ issue: { what, why, detail, next, target } }: { readonly issue: Issue }) {
  // Adds the detail only for a key. For a virtual cluster, the detail is a duration that `what` already contains.
  const text = [target.page === 'key' ? detail : '', why].filter(Boolean).join(' ');
  return (
    <>
      <IssueLink target={target}>{what}</IssueLink>
      {text === '' ? null : <Text size="sm">{text}</Text>}
      <Text size="sm" c="dimmed">
        {next}
      </Text>
    </>
  );
}

function SeveralIssues({ group: { first, issues } }: { readonly group: IssueGroup }) {
  return (
    <>
      <Text size="sm" fw={600}>
        {issues.length} {first.many}
      </Text>
      {first.why === '' ? null : <Text size="sm">{first.why}</Text>}
      <ul className={classes.objects}>
        {issues.slice(0, maxObjects).map(({ key, label, detail, target }) => (
          <li key={key}>
            <IssueLink target={target}>{label}</IssueLink>
            {detail === '' ? '' : target.page === 'key' ? `: ${detail}` : `, ${detail}`}
          </li>
        ))}
        {issues.length <= maxObjects ? null : <li>and {issues.length - maxObjects} more</li>}
      </ul>
      <Text size="sm" c="dimmed">
        {first.next}
      </Text>
    </>
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
