import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export interface EmptyStateProps {
  readonly title: string;
  /** Explains the purpose of the list and how to create the first item. */
  readonly text: ReactNode;
  readonly action?: ReactNode;
}

/** The content of a page or panel whose list is empty: an explanation and the next step. */
export function EmptyState({ title, text, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={56} px="md">
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" maw={480} ta="center" component="div">
        {text}
      </Text>
      {action}
    </Stack>
  );
}
