import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { focusPage } from './form/page-focus.ts';

export interface PageHeaderProps {
  readonly title: string;
  /** A one-sentence description of the page. */
  readonly about?: ReactNode;
  /** Actions, shown at the end of the row. */
  readonly actions?: ReactNode;
  /** Shown above the title: the link back. */
  readonly above?: ReactNode;
}

/** The only `h1` of a page; also sets the title of the browser tab. */
export function PageHeader({ title, about, actions, above }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Flotilla`;
  }, [title]);
  useEffect(focusPage, []);
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="md">
      {/* A name of 63 letters has no break opportunity. */}
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
