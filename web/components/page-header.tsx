import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { arriveAtPage } from './kept-focus.ts';

export interface PageHeaderProps {
  readonly title: string;
  /** What the page is about, in a sentence. */
  readonly about?: ReactNode;
  /** What can be done here; stands at the end of the line. */
  readonly actions?: ReactNode;
  /** Above the title: where this is. */
  readonly above?: ReactNode;
}

/** The one heading of a page; the browser's tab says the same. */
export function PageHeader({ title, about, actions, above }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Flotilla`;
  }, [title]);
  useEffect(arriveAtPage, []);
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="md">
      {/* A name of 63 letters is one word. */}
      <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        {above === undefined ? null : (
          <Text size="sm" component="div">
            {above}
          </Text>
        )}
        <Title order={1} size="h2">
          {title}
        </Title>
        {about === undefined ? null : (
          <Text c="dimmed" size="sm" mt={2} component="div">
            {about}
          </Text>
        )}
      </div>
      {actions === undefined ? null : <Group gap="sm">{actions}</Group>}
    </Group>
  );
}
