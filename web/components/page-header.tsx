import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { focusPage } from './form/page-focus.ts';

export interface PageHeaderProps {
  readonly title: string;
  /** A short description of the page. */
  readonly about?: ReactNode;
  /** Buttons, shown at the end of the title row. */
  readonly actions?: ReactNode;
  /** The link back to the parent page, shown above the title. */
  readonly above?: ReactNode;
}

/** The header of a page with its only `h1`. It also sets the title of the browser tab. */
export function PageHeader({ title, about, actions, above }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Flotilla`;
  }, [title]);
  useEffect(focusPage, []);
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="md">
      {/* A long name without hyphens can break anywhere, so that it does not overflow. */}
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
