import { Button, Group, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Command } from '../../components/command.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { counted } from '../../data/in-words.ts';
import { AuditFilters } from './audit-filters.tsx';
import type { AuditSearch } from './audit-search.ts';
import { AuditTable } from './audit-table.tsx';
import { useAudit } from './use-audit.ts';

/** Who did what, and what came of it. What is looked for stands in the address. */
export function AuditPage() {
  const search = useSearch({ from: '/audit-log' });
  const navigate = useNavigate();
  const [askedAt, setAskedAt] = useState(() => Date.now());
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useAudit(search, askedAt);
  const events = data?.pages.flatMap(({ items }) => items) ?? [];
  const reached = data?.pages.at(-1)?.metadata.reached;

  function look(next: AuditSearch): void {
    setAskedAt(Date.now());
    void navigate({ to: '/audit-log', search: next });
  }

  return (
    <>
      <PageHeader
        title="Audit"
        about="Who did what, newest first: every change, every refusal, every kubeconfig and token."
      />
      <div className="card">
        <AuditFilters search={search} onSearch={look} isBusy={isFetching} />
        {error === null ? null : (
          <Group px="md" pb="sm">
            <ErrorNotice error={error} onRetry={() => void refetch()} />
          </Group>
        )}
        {data === undefined ? (
          error === null ? (
            <Waiting words="Searching the audit log" />
          ) : null
        ) : (
          <>
            <Text size="sm" c="dimmed" px="md" pb="xs" role="status">
              {counted(events.length, 'event')}
              {reached === undefined ? '' : `, as far back as ${new Date(reached).toLocaleString('en-GB')}`}
              {hasNextPage ? '' : ': that is all'}
            </Text>
            {events.length === 0 ? (
              <EmptyState
                title={hasNextPage ? 'Nothing so far' : 'Nothing that matches'}
                text={
                  hasNextPage ? (
                    'The log goes on further back than one look reaches.'
                  ) : (
                    <>
                      The log holds writes, refusals, and kubeconfigs and tokens that were handed out. Fewer filters
                      find more. On the command line:
                      <Command text="flotilla audit --since 24h" />
                    </>
                  )
                }
              />
            ) : (
              <AuditTable events={events} onNarrow={(more) => look({ ...search, ...more })} />
            )}
            {hasNextPage ? (
              <Group justify="center" p="md">
                <Button variant="default" loading={isFetching} onClick={() => void fetchNextPage()}>
                  Look further back
                </Button>
              </Group>
            ) : null}
          </>
        )}
      </div>
    </>
  );
}
