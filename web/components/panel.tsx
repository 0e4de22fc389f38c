import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './panel.module.css';

export interface PanelProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A card with an optional title and actions. */
export function Panel({ title, actions, children }: PanelProps) {
  return (
    <section className={`card ${classes.panel}`} {...(title === undefined ? {} : { 'aria-label': title })}>
      {title === undefined ? null : (
        <Group justify="space-between" mb="md">
          <Title order={2} size="h5">
            {title}
          </Title>
          {actions}
        </Group>
      )}
      {children}
    </section>
  );
}
