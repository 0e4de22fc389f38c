import { Tabs } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export interface DetailTab {
  readonly id: string;
  readonly label: string;
  /** Renders the content. Called only while the tab is open. */
  render(): ReactNode;
}

/** The tabs of a page. The URL contains the open tab; by default the first tab is open. */
export function DetailTabs({ tabs, label }: { readonly tabs: readonly DetailTab[]; readonly label: string }) {
  const { tab }: { tab?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const open = tabs.find(({ id }) => id === tab) ?? tabs[0];
  if (open === undefined) return null;
  return (
    <Tabs
      value={open.id}
      onChange={(id) => void navigate({ to: '.', search: { tab: id ?? undefined } })}
      keepMounted={false}
    >
      <Tabs.List mb="md" aria-label={label}>
        {tabs.map(({ id, label: text }) => (
          <Tabs.Tab key={id} value={id}>
            {text}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ id, render }) => (
        <Tabs.Panel key={id} value={id}>
          {id === open.id ? render() : null}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
