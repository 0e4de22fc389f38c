import { ActionIcon, Button } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { session } from '../../data/session/session.ts';
import { KeyboardHelp } from './keyboard-help.tsx';

/** The palette is loaded when it is first opened. */
const CommandPalette = lazyComponent(
  async () => (await import('./command-palette.tsx')).CommandPalette,
  'Loading commands',
);

/** The button that opens the command palette. Also handles the keyboard shortcuts of the console. */
export function PaletteHost() {
  const [open, setOpen] = useState<'palette' | 'help'>();
  const close = useCallback(() => setOpen(undefined), []);
  const help = useCallback(() => setOpen('help'), []);
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      const wanted = shortcutOf(event);
      if (wanted === undefined || event.defaultPrevented || session.get() === 'ended' || isDialogOpen()) return;
      event.preventDefault();
      setOpen(wanted);
    };
    document.addEventListener('keydown', handleKey);
    return () => document.removeEventListener('keydown', handleKey);
  }, []);
  return (
    <>
      {/* The header of a phone has no room for the text. */}
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        hiddenFrom="xs"
        aria-label="Search"
        onClick={() => setOpen('palette')}
      >
        <Icon name="search" />
      </ActionIcon>
      <Button
        visibleFrom="xs"
        variant="default"
        size="sm"
        leftSection={<Icon name="search" size={16} />}
        onClick={() => setOpen('palette')}
        aria-keyshortcuts="Control+K Meta+K /"
        title="Ctrl K or /"
      >
        Search
      </Button>
      {open === 'palette' ? <CommandPalette onClose={close} onHelp={help} /> : null}
      {open === 'help' ? <KeyboardHelp onClose={close} /> : null}
    </>
  );
}

function shortcutOf(event: KeyboardEvent): 'palette' | 'help' | undefined {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return 'palette';
  if (ctrlKey || metaKey || altKey || isTextField(target)) return undefined;
  return key === '/' ? 'palette' : key === '?' ? 'help' : undefined;
}

/** True if the element accepts typed letters as input. */
function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}

/** True if a dialog is open. The palette must not cover a dialog, because both would trap the focus. */
function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"]') !== null;
}
